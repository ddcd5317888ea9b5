import { quote } from '@engine/expression'
import type { Contract } from './contract.ts'
import {
  conceptSchema,
  decisionSchema,
  inputSchema,
  reachedConcepts,
  type ReferenceTo,
  type Schema,
} from './json-schema.ts'
import type { Concepts } from '@engine/ruleset'

/**
 * An OpenAPI 3.1 description of an engine's endpoint for a contract's ruleset. Linear in the contract and its reachable
 * concepts.
 */
export function contractOpenApi(contract: Contract, concepts: Concepts): Schema {
  const to: ReferenceTo = (name) => `#/components/schemas/concept.${encodeURIComponent(name)}`
  const definitions = reachedConcepts(contract, concepts).map((name) => [
    `concept.${name}`,
    conceptSchema(concepts, name, to),
  ])
  return {
    openapi: '3.1.0',
    info: { title: contract.name, version: contract.version },
    paths: {
      [`/api/v1/execute/${encodeURIComponent(contract.name)}`]: {
        post: {
          operationId: 'decide',
          summary: `Execute ${quote(contract.name)}`,
          requestBody: {
            required: true,
            content: json({ type: 'object', required: ['input'], properties: { input: reference('Input') } }),
          },
          responses: {
            200: { description: 'The decision.', content: json(reference('Decision')) },
            default: { description: 'No decision; `error` names the reason.', content: json(reference('Error')) },
          },
        },
      },
    },
    components: {
      schemas: {
        Input: inputSchema(contract, to),
        Decision: decisionSchema(contract, to),
        Error: {
          type: 'object',
          required: ['error', 'code'],
          properties: { error: { type: 'string' }, code: { type: 'string' } },
        },
        ...Object.fromEntries(definitions),
      },
    },
  }
}

const json = (schema: Schema): Schema => ({ 'application/json': { schema } })
const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
