// The data source for TypeORM's command line, for example `npm run typeorm -- migration:show`.
import { Config } from './src/config/config';
import { createDataSource } from './src/database/data-source';

export default createDataSource(Config.from(process.env).database, 'migrate');
