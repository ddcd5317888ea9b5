// Description
export type { HttpInterface, Operation, Refusal } from './operation.ts'
export type { Json } from './components.ts'
export { answersOf, openApiOf } from './openapi.ts'
export { type Documentation, isDocumentation, registerDocumentation } from './documentation.ts'
// Requests
export { bodyFaults, describe, inOneForm, refuseFaults, requireShape, shapeFaults } from './shape.ts'
export { invalidParameter, queryOf, type QueryParameters, truthOf } from './query.ts'
