import { type Static, Type } from 'typebox'
import { ActionName } from '../identity/model.ts'
import { Description, Name } from '../organizations/model.ts'
import { RECORD } from '../../resources/resource-fields.ts'

/** A named set of permissions. Built-in roles cannot be changed. */
export const Role = Type.Object(
  {
    ...RECORD,
    name: Type.String(),
    description: Type.String(),
    permissions: Type.Array(ActionName),
    is_system: Type.Boolean({ description: 'one that every organization has, and that cannot be changed' }),
  },
  { title: 'Role' },
)
export type Role = Static<typeof Role>

const Permissions = Type.Array(ActionName, { maxItems: 100 })

/** A role to create, with permissions that its creator has. */
export const RoleRequest = Type.Object(
  { name: Name, description: Type.Optional(Description), permissions: Permissions },
  {
    title: 'RoleRequest',
    examples: [{ name: 'Release manager', permissions: ['project.read', 'release.approve', 'release.execute'] }],
  },
)

/** Omitted members keep their values. */
export const RoleChange = Type.Partial(RoleRequest, {
  title: 'RoleChange',
  examples: [{ permissions: ['project.read', 'release.approve'] }],
})
export type RoleChange = Static<typeof RoleChange>
