import { type Static, Type } from 'typebox'
import { ActionName } from '../identity/model.ts'
import { Id, RECORD } from '../../resources/resource-fields.ts'

/** A display name, trimmed and without control characters (`nameOf` of accounts). */
export const Name = Type.String({ minLength: 1, maxLength: 200 })

/** Free text for people. */
export const Description = Type.String({ maxLength: 2000 })

/** An organization with its counts and the caller's permissions. Sub-organizations have `depth` 1. */
export const Organization = Type.Object(
  {
    ...RECORD,
    name: Type.String(),
    description: Type.String(),
    parent_org_id: Type.Union([Id, Type.Null()]),
    depth: Type.Integer({ minimum: 0, maximum: 1 }),
    member_count: Type.Integer({ minimum: 0, description: 'with those that are invited; without those of the parent' }),
    child_count: Type.Integer({ minimum: 0 }),
    project_count: Type.Integer({ minimum: 0 }),
    my_roles: Type.Array(Type.String(), {
      description: "the caller's roles, including those inherited from the parent",
    }),
    my_permissions: Type.Array(ActionName),
  },
  { title: 'Organization' },
)
export type Organization = Static<typeof Organization>

/** An organization to create; answers 409 `duplicate` for the name of a sibling. */
export const OrganizationRequest = Type.Object(
  { name: Name, description: Type.Optional(Description) },
  { title: 'OrganizationRequest', examples: [{ name: 'ACME', description: 'Credit decisions' }] },
)

/** Omitted members keep their values. */
export const OrganizationChange = Type.Partial(OrganizationRequest, {
  title: 'OrganizationChange',
  examples: [{ description: 'Credit and pricing decisions' }],
})
export type OrganizationChange = Static<typeof OrganizationChange>
