// The door for TypeORM's command line: `npm run typeorm -- migration:show`.
import { Config } from './src/config';
import { createDataSource, dataSourceOptions } from './src/database/data-source';

const config = Config.from(process.env);

export default createDataSource(dataSourceOptions(config.database));
