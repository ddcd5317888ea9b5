import { type Static, Type } from 'typebox'
import { ACTIONS } from '../../access/actions.ts'
import { ActionName } from '../identity/model.ts'
import { Id, orNull, RECORD, Time } from '../../resources/resource-fields.ts'

const members = {
  ...RECORD,
  name: Type.String(),
  prefix: Type.String({ description: 'how the key begins' }),
  scopes: Type.Array(ActionName),
  project_ids: orNull(Type.Array(Id)),
  environments: orNull(Type.Array(Type.String())),
  expires_at: orNull(Time('null: never')),
  last_used_at: orNull(Time('null: never')),
}

/** Metadata of an API key, without its token. */
export const ApiKey = Type.Object(members, { title: 'ApiKey' })
export type ApiKey = Static<typeof ApiKey>

/** Response to the creation of a key: the only one that contains the token, which is stored as a hash. */
export const CreatedApiKey = Type.Object(
  { ...members, token: Type.String({ description: 'the key, shown this once' }) },
  { title: 'CreatedApiKey' },
)

/** A new key can do at most what its creator can. Limits to projects and environments cannot be changed later. */
export const ApiKeyRequest = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    scopes: Type.Array(ActionName, {
      minItems: 1,
      maxItems: ACTIONS.length,
      description: 'actions of which the caller holds each',
    }),
    project_ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 1000, description: 'default: all projects' })),
    environments: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        minItems: 1,
        maxItems: 100,
        description: 'names; default: all environments',
      }),
    ),
    expires_at: Type.Optional(Type.String({ format: 'date-time', description: 'default: never' })),
  },
  {
    title: 'ApiKeyRequest',
    examples: [{ name: 'checkout', scopes: ['project.read', 'decision.execute'], environments: ['prod'] }],
  },
)
export type ApiKeyRequest = Static<typeof ApiKeyRequest>
