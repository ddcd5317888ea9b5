import './all-functions.ts'

export * from './core.ts'
