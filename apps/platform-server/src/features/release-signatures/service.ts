import { defined } from '@engine/expression'
import { inTurns } from '@engine/process'
import type { RulesetDocument } from '@engine/ruleset'
import { canonicalWriting, startVerification } from '@engine/signing'
import type { Database } from '../../database/database.ts'
import type { Scope } from '../../database/scope.ts'
import type { ReleaseStatus } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import { contentsOf, digestOf } from '../engines/contents.ts'
import { nameOf } from '../releases/state-change.ts'
import type { ReleaseRow } from '../releases/events.ts'
import { releaseBy } from '../releases/repository.ts'
import type { InProject } from '../projects/project-scope.ts'
import { targetsOf } from '../rollouts/target-environments.ts'
import { candidateDocuments } from '../rollouts/execution-start.ts'
import type { SignatureRequest, SignedContent } from './model.ts'
import { trustedKeys } from './trusted-keys.ts'

/** A content that a release delivers to engines. */
interface Deliverable {
  /** The name of the ruleset, or of its candidate. */
  readonly name: string
  readonly document: RulesetDocument
}

/**
 * The contents that a release delivers: each ruleset under its name, and under that of its candidate when it replaces
 * another content.
 */
async function deliverablesOf(database: Database, scope: Scope, release: ReleaseRow): Promise<readonly Deliverable[]> {
  const targets = await targetsOf(scope, release.id)
  const digests = new Map(targets.flatMap(({ name, digest }) => (digest === null ? [] : [[name, digest] as const])))
  const documents = await contentsOf(database, [...digests.values()])
  const whole = Array.from(digests, ([name, digest]) => ({ name, document: defined(documents.get(digest)) }))
  const candidates = release.kind === 'rollback' ? [] : await candidateDocuments(database, scope, release)
  return [...whole, ...candidates.map(({ candidate, document }) => ({ name: candidate, document }))]
}

/** Throws `not-found`. */
export async function deliverable(
  database: Database,
  scope: Scope,
  release: ReleaseRow,
  name: string,
): Promise<Deliverable> {
  const found = (await deliverablesOf(database, scope, release)).find((one) => one.name === name)
  if (found === undefined) throw failures.notFound('ruleset of the release', name)
  return found
}

/** The contents of a release, with their external signatures if any. */
export async function signaturesOf(
  database: Database,
  scope: Scope,
  release: ReleaseRow,
): Promise<readonly SignedContent[]> {
  const rows = await scope
    .read('release_signatures')
    .selectFrom('release_signatures')
    .select(['digest', 'public_key', 'signed_at'])
    .where('release_id', '=', release.id)
    .execute()
  const signed = new Map(rows.map((row) => [row.digest, row]))
  const items: SignedContent[] = []
  for (const { name, document } of await deliverablesOf(database, scope, release)) {
    const digest = await digestOf(document)
    const { public_key = null, signed_at = null } = signed.get(digest) ?? {}
    items.push({ name, digest, public_key, signed_at })
  }
  return items
}

/** States before any delivery to engines. */
const BEFORE_DELIVERY: ReadonlySet<ReleaseStatus> = new Set(['pending_approval', 'approved', 'failed'])

/**
 * Store a signature for a content of a release, replacing an earlier one. Throws 400 for an invalid signature, 404 for
 * a name that the release does not deliver, 409 `wrong_state` once delivery has begun.
 */
export async function signRelease(
  acting: Acting<InProject>,
  release: ReleaseRow,
  name: string,
  { public_key, signature, signed_at }: SignatureRequest,
): Promise<SignedContent> {
  const { database, place } = acting
  const { document } = await deliverable(database, place.member.scope, release, name)
  const verification = startVerification({ public_key, signature }, new Set(await trustedKeys(place.member.scope)))
  const fault = verification.fault ?? verification.finish(await inTurns(canonicalWriting(document)))
  if (fault !== undefined)
    throw failures.invalid(
      fault === 'invalid signature' ? '/signature' : '/public_key',
      `is refused: ${fault}`,
      'signature',
    )
  const digest = await digestOf(document)
  return acting.change(async ({ scope, audit }) => {
    const { status } = await releaseBy(scope, place.project.id, release.id)
    if (!BEFORE_DELIVERY.has(status))
      throw failures.conflict('wrong_state', `the release is \`${status}\`: it is signed before it is executed`, {
        status,
      })
    const columns = { public_key, signature, signed_at: signed_at ?? null, created_by: acting.by }
    await scope
      .insert('release_signatures', { release_id: release.id, digest, ...columns })
      .onConflict((conflict) => conflict.columns(['org_id', 'release_id', 'digest']).doUpdateSet(columns))
      .execute()
    const shown = { name, digest, public_key, signed_at: signed_at ?? null }
    await audit({ action: 'release.signed', object: nameOf(release), after: shown })
    return shown
  })
}
