export * from './source.ts'
export type * from './ast.ts'
export type * from './value.ts'
export * from './runtime.ts'
