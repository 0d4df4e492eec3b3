// The data source of TypeORM's command line: `npm run typeorm -- migration:show`.
import { Config } from './src/config/config';
import { createDataSource } from './src/database/data-source';

export default createDataSource(Config.from(process.env).database, 'migrate');
