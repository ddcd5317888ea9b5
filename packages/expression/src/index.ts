import './all-functions.ts'

export * from './core.ts'
export { DESCRIPTIONS, type FunctionDescription } from './functions/descriptions.ts'
