import { type Static, Type } from 'typebox'
import { SignedIn, User } from '../identity/model.ts'
import { Id, Time } from '../../resources/resource-fields.ts'

const RoleNames = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  minItems: 1,
  maxItems: 50,
  description: 'names or ids of roles',
})

const MEMBER = {
  id: Id,
  user_id: Type.Union([Id, Type.Null()]),
  email: Type.String(),
  display_name: Type.String(),
  roles: Type.Array(Type.String(), { description: 'names' }),
  status: Type.Enum(['invited', 'active']),
  inherited_from: Type.Union([Id, Type.Null()], { description: 'the parent in which the membership is' }),
  invited_at: Time('of the invitation'),
}

/** A membership; `user_id` is null until the invitation is accepted. */
export const Member = Type.Object(MEMBER, { title: 'Member' })
export type Member = Static<typeof Member>

/** Response to an invitation, with the link where no mail was sent. */
export const InvitedMember = Type.Object(
  {
    ...MEMBER,
    invitation: Type.Object({
      expires_at: Time('after which it cannot be accepted'),
      sent: Type.Boolean({ description: 'by mail' }),
      url: Type.Optional(Type.String({ description: 'to be passed on, where no mail was sent; shown once' })),
    }),
  },
  { title: 'InvitedMember' },
)
export type InvitedMember = Static<typeof InvitedMember>

/** Invites a person by email address, with roles by name or id. */
export const MemberRequest = Type.Object(
  {
    email: Type.String({ minLength: 3, maxLength: 254 }),
    roles: Type.Optional(RoleNames),
    role: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'one role, instead of `roles`' })),
  },
  { title: 'MemberRequest', examples: [{ email: 'grace@example.com', roles: ['editor'] }] },
)
export type MemberRequest = Static<typeof MemberRequest>

/** Replaces all roles of a member. */
export const MemberRoles = Type.Object({ roles: RoleNames }, { title: 'MemberRoles', examples: [{ roles: ['admin'] }] })

/** A pending invitation; its token is stored as a hash. */
export const Invitation = Type.Object(
  {
    id: Id,
    member_id: Id,
    email: Type.String(),
    roles: Type.Array(Type.String()),
    prefix: Type.String({ description: 'of the token' }),
    sent: Type.Boolean({ description: 'by mail' }),
    created_at: Time('of the invitation'),
    created_by: Type.String(),
    expires_at: Time('after which it cannot be accepted'),
  },
  { title: 'Invitation' },
)
export type Invitation = Static<typeof Invitation>

/** Accepts an invitation; a person without an account sets a password and a name. */
export const AcceptRequest = Type.Object(
  {
    token: Type.String({ maxLength: 200, description: 'of the invitation, `eng_inv_…`' }),
    password: Type.Optional(Type.String({ minLength: 8, maxLength: 256, description: 'of a new account' })),
    display_name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  {
    title: 'AcceptRequest',
    examples: [{ token: 'eng_inv_…', password: 'correct horse battery staple', display_name: 'Grace' }],
  },
)
export type AcceptRequest = Static<typeof AcceptRequest>

/** Request for the purpose of an invitation. */
export const InvitationPreviewRequest = Type.Object(
  { token: Type.String({ maxLength: 200, description: 'of the invitation, `eng_inv_…`' }) },
  { title: 'InvitationPreviewRequest', examples: [{ token: 'eng_inv_…' }] },
)

/** The organization, address and inviter of an invitation, which stays valid. */
export const InvitationPreview = Type.Object(
  {
    email: Type.String({ description: 'the invited address' }),
    organization: Type.String({ description: 'name of the organization' }),
    invited_by: Type.Union([Type.String(), Type.Null()], { description: 'name of the person; null: a key, or gone' }),
    has_account: Type.Boolean({ description: 'whether the address has an account, which must be signed in to accept' }),
  },
  { title: 'InvitationPreview' },
)

/** The session and the organization that was joined. */
export const Accepted = Type.Object({ ...SignedIn.properties, user: User, org_id: Id }, { title: 'Accepted' })
