export type { Database } from './database/database.ts'
