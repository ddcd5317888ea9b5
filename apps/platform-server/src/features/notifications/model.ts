import { type Static, Type } from 'typebox'
import { Id, Time } from '../../resources/resource-fields.ts'

const KINDS = [
  'release_approval_pending',
  'release_failed',
  'release_commented',
  'tests_failed',
  'member_changed',
] as const

/** A message to one user about a release, a test or a membership, shown in the studio. */
export const Notification = Type.Object(
  {
    id: Id,
    kind: Type.Enum([...KINDS]),
    ref_type: Type.String({ description: 'type of the resource, as `member` or `release`' }),
    ref_id: Type.String(),
    payload: Type.Unknown({ description: 'the details for showing it without another request' }),
    read_at: Type.Union([Time('of its reading'), Type.Null()]),
    created_at: Time('of the event'),
  },
  { title: 'Notification' },
)
export type Notification = Static<typeof Notification>

/** The unread count is the badge of the studio. */
export const NotificationCount = Type.Object(
  { unread: Type.Integer({ minimum: 0 }), total: Type.Integer({ minimum: 0 }) },
  { title: 'NotificationCount' },
)
