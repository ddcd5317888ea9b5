import { randomUUIDv7 } from 'node:crypto'
import type { Log } from '@engine/process'
import { refuseAboveOwn } from '../../access/permission-grant.ts'
import type { InOrganization, Member as Rights } from '../../access/membership.ts'
import { newToken, type NewToken } from '../../access/tokens.ts'
import { type Change, type Database, duplicateOf } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import type { Mail } from '../../mail/mail.ts'
import { nameInMail } from '../../mail/user-text.ts'
import { emailOf } from '../identity/accounts.ts'
import { grantOf, rolesNamed, type RoleRow } from '../roles/repository.ts'
import type { InvitedMember, Member, MemberRequest } from './model.ts'
import { notifyOfMember } from './member-notice.ts'
import { invitationById, memberByEither, rolesOfMember } from './repository.ts'
import { deleteMember, insertRoles, objectOf, shown } from './service.ts'

const INVITATION_LIFETIME_MS = 7 * 24 * 3600 * 1000

export interface InvitationParts {
  readonly database: Database
  /** Undefined: links are shown to the inviting member. */
  readonly mail: Mail | undefined
  readonly publicUrl: () => string
  readonly log: Log
}

/** Invite an email address, with or without an account, to an organization. The link is valid once, for 7 days. */
export async function invite(
  { database, mail, publicUrl, log }: InvitationParts,
  acting: Acting<InOrganization>,
  request: MemberRequest,
): Promise<InvitedMember> {
  const email = emailOf(request.email)
  const token = newToken('inv')
  const expires_at = new Date(Date.now() + INVITATION_LIFETIME_MS)
  const { member, organization } = await stored(acting, { email, request, token, expires_at })
  const url = `${publicUrl()}/invitation#token=${token.text}`
  const sent = mail !== undefined && (await isSent(mail, email, organization, url, log))
  if (sent)
    await database.note(acting.place.member.org, ({ scope }) =>
      scope.update('invitations').set({ sent }).where('member_id', '=', member.id).execute(),
    )
  return { ...member, invitation: { expires_at: expires_at.toISOString(), sent, ...(sent ? {} : { url }) } }
}

interface Inviting {
  readonly email: string
  readonly request: MemberRequest
  readonly token: NewToken
  readonly expires_at: Date
}

async function stored(
  acting: Acting<InOrganization>,
  { email, request, token, expires_at }: Inviting,
): Promise<{ readonly member: Member; readonly organization: string }> {
  const { by: created_by } = acting
  const rights = acting.place.member
  try {
    return await acting.change(async (change) => {
      const { scope, audit } = change
      const roles = await wantedRoles(change, rights, request)
      await refuseMember(change, email)
      const id = randomUUIDv7()
      await scope.insert('members', { id, email, status: 'invited', created_by }).execute()
      await insertRoles(scope, id, roles)
      const invitation = { id: randomUUIDv7(), member_id: id, sent: false, created_by, expires_at }
      await scope.insert('invitations', { ...invitation, token_hash: token.hash, prefix: token.prefix }).execute()
      const member = shown(await memberByEither(scope, id), roles, rights.org)
      await audit({ action: 'member.created', object: { id, name: email }, after: member })
      await audit({
        action: 'invitation.created',
        object: { id: invitation.id, name: email },
        after: { member_id: id, prefix: token.prefix, expires_at: expires_at.toISOString() },
      })
      await notifyOfMember(scope, 'invited', member)
      const { name } = await scope
        .read('organizations')
        .selectFrom('organizations')
        .select('name')
        .executeTakeFirstOrThrow()
      return { member, organization: name }
    })
  } catch (error) {
    throw duplicateOf(error) === 'members_invited' ? isMember(email) : error
  }
}

/**
 * The roles from `roles` or `role`. Throws 400 for both, neither or an unknown role, and 403 for rights that the inviting
 * member does not hold.
 */
async function wantedRoles(
  { scope }: Change,
  rights: Rights,
  { roles, role }: MemberRequest,
): Promise<readonly RoleRow[]> {
  if ((roles === undefined) === (role === undefined))
    throw failures.invalid('/roles', 'must be given, or `role` instead')
  const wanted = await rolesNamed(scope, roles ?? [role ?? ''], '/roles')
  refuseAboveOwn(rights, wanted.map(grantOf))
  return wanted
}

async function refuseMember({ scope }: Change, email: string): Promise<void> {
  const known = await scope
    .read('member_profiles')
    .selectFrom('member_profiles')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirst()
  if (known !== undefined) throw isMember(email)
}

const isMember = (email: string) => failures.conflict('duplicate', `\`${email}\` is a member already, or invited`)

async function isSent(mail: Mail, email: string, organization: string, url: string, log: Log): Promise<boolean> {
  try {
    const name = nameInMail(organization)
    await mail.send(
      email,
      `Invitation to ${name}`,
      `You are invited to the organization “${name}”.\n\nAccept it within 7 days:\n${url}\n\n` +
        'If you do not know it, ignore this mail.\n',
    )
    return true
  } catch (err) {
    log.warn({ err }, 'an invitation could not be sent by mail: its link is shown to the person who invites')
    return false
  }
}

/** Withdraw an invitation and its pending membership. */
export async function withdraw(acting: Acting<InOrganization>, id: string): Promise<void> {
  const rights = acting.place.member
  await acting.change(async (change) => {
    const { scope, audit } = change
    const invitation = await invitationById(scope, id)
    const row = await memberByEither(scope, invitation.member_id)
    const roles = await rolesOfMember(scope, row.id)
    refuseAboveOwn(rights, roles.map(grantOf))
    await deleteMember(change, row, roles)
    await audit({ action: 'invitation.revoked', object: { ...objectOf(row), id: invitation.id } })
  })
}
