export { EmbeddedMongo, type EmbeddedMongoOptions } from './server.ts';
export { DataFileError } from './storage/database.ts';
