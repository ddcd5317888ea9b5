import { type Static, Type } from 'typebox'
import { ACTIONS } from '../../access/actions.ts'
import { Id, Time } from '../../resources/resource-fields.ts'

const Nullable = Type.Null()

/** The account of a person. */
export const User = Type.Object(
  {
    id: Id,
    email: Type.String(),
    display_name: Type.String(),
    last_login: Type.Union([Time('of the last sign-in'), Nullable]),
  },
  { title: 'User' },
)
export type User = Static<typeof User>

/** Response to a sign-in; the session itself is in a cookie. */
export const SignedIn = Type.Object({ user: User }, { title: 'SignedIn' })

const Email = Type.String({ minLength: 3, maxLength: 254, description: 'address of mail; its case does not count' })
const GivenPassword = Type.String({ minLength: 1, maxLength: 256 })
/** A new password. NIST SP 800-63B requires the minimum length and advises against composition rules. */
const NewPassword = Type.String({ minLength: 8, maxLength: 256 })
const DisplayName = Type.String({ minLength: 1, maxLength: 200 })

/** Sign-in by email and password. */
export const LoginRequest = Type.Object(
  { email: Email, password: GivenPassword },
  { title: 'LoginRequest', examples: [{ email: 'ada@example.com', password: 'correct horse battery staple' }] },
)

/** Sign-in by a one-time link, which may set the password and name that a new account lacks. */
export const TokenRequest = Type.Object(
  {
    token: Type.String({ maxLength: 200, description: 'of a one-time link, `eng_otl_…`' }),
    password: Type.Optional(NewPassword),
    email: Type.Optional(Email),
    display_name: Type.Optional(DisplayName),
  },
  { title: 'TokenRequest', examples: [{ token: 'eng_otl_…' }] },
)
export type TokenRequest = Static<typeof TokenRequest>

/** Request for the account of a one-time link. */
export const LinkPreviewRequest = Type.Object(
  { token: Type.String({ maxLength: 200, description: 'of a one-time link, `eng_otl_…`' }) },
  { title: 'LinkPreviewRequest', examples: [{ token: 'eng_otl_…' }] },
)

/** The account of a one-time link, which stays valid. */
export const LinkPreview = Type.Object(
  { email: Type.String(), display_name: Type.String(), purpose: Type.Enum(['sign-in', 'reset']) },
  { title: 'LinkPreview' },
)

/** Self-registration; refused unless the platform allows it. */
export const RegisterRequest = Type.Object(
  { email: Email, password: NewPassword, display_name: DisplayName },
  {
    title: 'RegisterRequest',
    examples: [{ email: 'ada@example.com', password: 'correct horse battery staple', display_name: 'Ada' }],
  },
)

/** The account that was registered; it has no session yet. */
export const Registered = Type.Object({ email: Type.String(), display_name: Type.String() }, { title: 'Registered' })

/** Ends all other sessions of the account. */
export const ChangePasswordRequest = Type.Object(
  { current: GivenPassword, next: NewPassword },
  {
    title: 'ChangePasswordRequest',
    examples: [{ current: 'correct horse battery staple', next: 'staple battery horse correct' }],
  },
)

/** Requests a link by mail for setting a new password. */
export const ResetRequest = Type.Object(
  { email: Email },
  { title: 'ResetRequest', examples: [{ email: 'ada@example.com' }] },
)

/** The response does not reveal whether an account has the address. */
export const ResetAccepted = Type.Object(
  { message: Type.String({ description: 'the same for every address' }) },
  { title: 'ResetAccepted' },
)

/** The ways to sign in that this platform offers, readable without a session. */
export const SignInOptions = Type.Object(
  {
    password: Type.Boolean(),
    registration: Type.Boolean({ description: 'anyone may make an account' }),
    sso: Type.Boolean({ description: 'single sign-on, at `/api/v1/auth/sso`' }),
  },
  { title: 'SignInOptions' },
)

/** A permission, as in roles, scopes of keys and `my_permissions`. */
export const ActionName = Type.Enum([...ACTIONS])

const MyKey = Type.Object(
  {
    id: Id,
    name: Type.String(),
    org_id: Id,
    scopes: Type.Array(ActionName),
    project_ids: Type.Union([Type.Array(Id), Nullable]),
    environments: Type.Union([Type.Array(Type.String()), Nullable]),
  },
  { title: 'MyKey' },
)

const MyOrganization = Type.Object(
  {
    id: Id,
    name: Type.String(),
    parent_org_id: Type.Union([Id, Nullable]),
    my_roles: Type.Array(Type.String()),
    my_permissions: Type.Array(ActionName),
  },
  { title: 'MyOrganization' },
)

/** An organization with the caller's roles and permissions in it. */
export type MyOrganization = Static<typeof MyOrganization>

/** The caller of the request. */
export const Me = Type.Object(
  {
    user: Type.Union([User, Nullable]),
    key: Type.Union([MyKey, Nullable]),
    organizations: Type.Array(MyOrganization, { description: 'those in which the caller may act' }),
  },
  { title: 'Me' },
)

/** Changes the caller's own account. */
export const MeChange = Type.Object(
  { display_name: Type.Optional(DisplayName) },
  { title: 'MeChange', examples: [{ display_name: 'Ada' }] },
)

/** An open session of the caller, listed so that it can be ended from another device. */
export const Session = Type.Object(
  {
    id: Id,
    created_at: Time('of the sign-in'),
    last_used_at: Time('to the minute'),
    expires_at: Time('at the latest'),
    ip: Type.Union([Type.String(), Nullable]),
    user_agent: Type.Union([Type.String(), Nullable]),
    current: Type.Boolean({ description: 'the session of the request' }),
  },
  { title: 'Session' },
)
export type Session = Static<typeof Session>
