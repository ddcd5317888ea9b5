// The full language: the core has only some of the functions.
import '@engine/expression'

export * from './core.ts'
