export { runServer, type ServerExtensions } from './run.ts'
