// The whole language: the core has only some of its functions.
import '@engine/expression'

export * from './core.ts'
