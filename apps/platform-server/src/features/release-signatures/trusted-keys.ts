import { BadKey, parsePublicKey } from '@engine/signing'
import type { InOrganization } from '../../access/membership.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'

/** The public keys that an organization trusts, in alphabetical order. */
export async function trustedKeys(scope: Scope): Promise<readonly string[]> {
  const rows = await scope.read('trusted_keys').selectFrom('trusted_keys').select('public_key').execute()
  return rows.map(({ public_key: key }) => key).toSorted()
}

/** Trust these keys and no others. Throws 400 for an invalid key. */
export async function setTrustedKeys(
  acting: Acting<InOrganization>,
  keys: readonly string[],
): Promise<readonly string[]> {
  for (const [index, key] of keys.entries()) refuseBadKey(key, index)
  return acting.change(async ({ scope, audit }) => {
    const before = await trustedKeys(scope)
    await scope.delete('trusted_keys').execute()
    const rows = [...new Set(keys)].map((public_key) => ({ public_key }))
    if (rows.length > 0) await scope.insert('trusted_keys', rows).execute()
    const after = await trustedKeys(scope)
    await audit({
      action: 'trusted_keys.updated',
      object: { id: acting.place.member.org, name: 'trusted keys' },
      before: { public_keys: before },
      after: { public_keys: after },
    })
    return after
  })
}

function refuseBadKey(key: string, index: number): void {
  try {
    parsePublicKey(key)
  } catch (error) {
    if (error instanceof BadKey) throw failures.invalid(`/public_keys/${index}`, error.message)
    throw error
  }
}
