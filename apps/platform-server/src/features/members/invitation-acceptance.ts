import type { Caller } from '../../access/caller.ts'
import { hashPassword } from '../../access/passwords.ts'
import { tokenHash } from '../../access/tokens.ts'
import { type Database, duplicateOf, type Transaction } from '../../database/database.ts'
import type { OrgId } from '../../database/org-id.ts'
import { failures } from '../../errors.ts'
import { type Account, accountByEmail, createAccount, nameOf } from '../identity/accounts.ts'
import type { Browser, SignedIn, SignIn } from '../identity/sign-in.ts'
import type { AcceptRequest } from './model.ts'
import { notifyOfMember } from './member-notice.ts'
import { memberByEither, rolesOfMember } from './repository.ts'
import { objectOf, shown } from './service.ts'

const refused = () => failures.unauthorized('the invitation is unknown, used, withdrawn or expired: request a new one')

/**
 * Accept an invitation. An address without an account receives one. An existing account requires a signed-in session, because
 * the link only proves access to the mailbox. Only one of two concurrent uses succeeds.
 */
export async function accept(
  database: Database,
  signIn: SignIn,
  caller: Caller | undefined,
  browser: Browser,
  { token, password, display_name }: AcceptRequest,
): Promise<{ readonly org: OrgId; readonly signedIn: SignedIn }> {
  const hash = tokenHash('inv', token)
  if (hash === undefined) throw refused()
  // Hashed before the transaction, which would otherwise hold its locks longer.
  const passwordHash = password === undefined ? undefined : await hashPassword(password)
  const name = display_name === undefined ? undefined : nameOf(display_name)
  try {
    return await database.unscoped.transaction(async (transaction) => {
      const { org, memberId, email } = await used(transaction, hash)
      const account = await accountFor(transaction, email, caller, name, passwordHash)
      await activate(transaction, org, memberId, account, browser)
      return { org, signedIn: await signIn.open(transaction, account, browser) }
    })
  } catch (error) {
    if (duplicateOf(error) === 'members_org_id_user_id_key')
      throw failures.conflict('duplicate', 'you are a member of this organization already')
    throw error
  }
}

/** The organization, address and inviter of a token. The invitation stays valid. */
export async function previewOf({ unscoped: { tables } }: Database, token: string) {
  const hash = tokenHash('inv', token)
  const found =
    hash &&
    (await tables
      .selectFrom('invitations')
      .innerJoin('organizations', 'organizations.org_id', 'invitations.org_id')
      .innerJoin('members', (join) =>
        join.onRef('members.id', '=', 'invitations.member_id').onRef('members.org_id', '=', 'invitations.org_id'),
      )
      .select(['members.email', 'organizations.name', 'invitations.created_by'])
      .where('invitations.token_hash', '=', hash)
      .where('invitations.expires_at', '>', new Date())
      .executeTakeFirst())
  if (found === undefined) throw refused()
  const account = await accountByEmail(tables, found.email)
  const author = UUID.test(found.created_by)
    ? await tables.selectFrom('users').select('display_name').where('id', '=', found.created_by).executeTakeFirst()
    : undefined
  return {
    email: found.email,
    organization: found.name,
    invited_by: author?.display_name ?? null,
    has_account: account !== undefined,
  }
}

/** Authors are people, keys or `system`. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Consume the invitation of a token. */
async function used({ tables }: Transaction, hash: Buffer) {
  const invitation = await tables
    .deleteFrom('invitations')
    .where('token_hash', '=', hash)
    .where('expires_at', '>', new Date())
    .returning(['org_id', 'member_id'])
    .executeTakeFirst()
  if (invitation === undefined) throw refused()
  const { org_id: org, member_id: memberId } = invitation
  const { email } = await tables
    .selectFrom('members')
    .select('email')
    .where('org_id', '=', org)
    .where('id', '=', memberId)
    .executeTakeFirstOrThrow()
  return { org, memberId, email }
}

async function accountFor(
  { tables }: Transaction,
  email: string,
  caller: Caller | undefined,
  name: string | undefined,
  passwordHash: string | undefined,
): Promise<Account> {
  const known = await accountByEmail(tables, email)
  if (known === undefined) {
    if (passwordHash === undefined) throw failures.invalid('/password', 'is needed for a new account')
    const made = await createAccount(tables, email, name ?? (email.split('@')[0] || email), passwordHash)
    if (made !== undefined) return made
  } else if (caller?.kind === 'user') {
    if (caller.id !== known.id)
      throw failures.forbidden('the invitation is for another address: sign in with that', 'address')
    return known
  }
  throw failures.unauthorized('this address has an account: sign in with it, then accept the invitation')
}

async function activate(
  transaction: Transaction,
  org: OrgId,
  memberId: string,
  { id, email }: Account,
  { address, requestId }: Browser,
): Promise<void> {
  const scope = transaction.scope(org)
  const before = await memberByEither(scope, memberId)
  const roles = await rolesOfMember(scope, memberId)
  await scope.update('members').set({ user_id: id, status: 'active' }).where('id', '=', memberId).execute()
  const after = await memberByEither(scope, memberId)
  const author = { actor: { type: 'user', id, name: email }, ip: address, requestId } as const
  const member = shown(after, roles, org)
  await transaction.audit(org, author, {
    action: 'member.updated',
    object: objectOf(after),
    before: shown(before, roles, org),
    after: member,
  })
  await notifyOfMember(scope, 'joined', member)
}
