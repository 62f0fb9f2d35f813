// How tedious' own tests reach the server of tests/clients/run: takes the place of test/config.ts.
import { type ConnectionConfiguration } from '../src/connection';

export default {
  server: process.env.MILLPOND_HOST,
  authentication: { type: 'default', options: { userName: 'sa', password: process.env.MSSQL_SA_PASSWORD } },
  options: { port: Number(process.env.MILLPOND_PORT), database: 'master', trustServerCertificate: true },
} as ConnectionConfiguration;
