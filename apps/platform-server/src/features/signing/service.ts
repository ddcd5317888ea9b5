import { BadKey, parsePrivateKey, publicKeyOf } from '@engine/signing'
import type { SecretBox } from '../../access/secret-box.ts'
import type { Change } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import type { InProject } from '../projects/project-scope.ts'
import { projectIn, type ProjectRow } from '../projects/repository.ts'

/** The purpose of a sealed key: it can only be opened as the key of this project. */
export const sealPurpose = (projectId: string) => `signing key of the project ${projectId}`

/** Signs the project's deliveries with this key. Returns its public key. Throws 400 for an invalid key. */
export async function setSigningKey(
  acting: Acting<InProject>,
  secretBox: SecretBox,
  privateKey: string,
): Promise<string> {
  const publicKey = publicOf(privateKey)
  const sealed = secretBox.encrypt(privateKey, sealPurpose(acting.place.project.id))
  await changeKey(acting, { public_key: publicKey, private_key_encrypted: sealed })
  return publicKey
}

/** Stops signing. Throws `not-found` when no key is set. */
export async function deleteSigningKey(acting: Acting<InProject>): Promise<void> {
  await changeKey(acting, { public_key: null, private_key_encrypted: null })
}

function publicOf(privateKey: string): string {
  try {
    return publicKeyOf(parsePrivateKey(privateKey))
  } catch (error) {
    if (error instanceof BadKey) throw failures.invalid('/private_key', error.message)
    throw error
  }
}

type KeyColumns = Pick<ProjectRow, 'public_key' | 'private_key_encrypted'>

async function changeKey(acting: Acting<InProject>, columns: KeyColumns): Promise<void> {
  const { project } = acting.place
  await acting.change(async (change) => {
    const before = await projectIn(change.scope, project.id)
    if (before === undefined) throw failures.notFound('project', project.id)
    if (columns.public_key === null && before.public_key === null) throw failures.notFound('signing key', project.id)
    await change.scope
      .update('projects')
      .set({ ...columns, updated_at: new Date(), rev: before.rev + 1 })
      .where('id', '=', project.id)
      .execute()
    await auditKey(change, before, columns.public_key)
  })
}

/** The audit contains public keys alone. */
async function auditKey({ audit }: Change, { id, name, public_key }: ProjectRow, after: string | null): Promise<void> {
  const verb = after === null ? 'deleted' : public_key === null ? 'created' : 'updated'
  const shown = (key: string | null) => (key === null ? undefined : { public_key: key })
  await audit({
    action: `signing_key.${verb}`,
    object: { id, name },
    before: shown(public_key),
    after: shown(after),
  })
}
