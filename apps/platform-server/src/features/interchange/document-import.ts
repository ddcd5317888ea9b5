import type { Imported, ImportReport } from '@engine/interchange'
import { HttpError, httpErrors } from '@engine/http-server'
import { jsonText } from '@engine/process'
import type { Compute } from '../../compute/compute.ts'
import type { ImportFormat, ImportOptions } from '../../compute/tasks.ts'
import { failures } from '../../errors.ts'
import { invalidDocument } from '../../resources/invalid-document.ts'
import { DOCUMENT_BYTES } from '../../http/route.ts'
import type { UnsupportedText } from '../../database/unsupported-text.ts'
import type { Acting } from '../../resources/acting.ts'
import type { InProject } from '../projects/project-scope.ts'
import type { ContractRequest } from '../catalog/model.ts'
import { createContract } from '../catalog/contracts.ts'
import { replaceSuites } from '../test-suites/suites.ts'
import { requireName } from '../drafts/draft-name.ts'
import { StaleDraft } from '../drafts/draft-store.ts'
import { smallDraft } from '../drafts/sent-draft.ts'
import { saveDraft } from '../drafts/service.ts'
import { type DraftParts, shownIn } from '../drafts/view.ts'

/** A parsed document, with the first text in its rulesets that cannot be stored. */
export interface ReadDocument {
  readonly imported: Imported
  readonly report: ImportReport
  readonly unstorable: UnsupportedText | undefined
}

/** Parse a document on a worker thread. Throws 413 for one that is too large, and 400 for one that cannot be read at all. */
export async function readDocument(
  compute: Compute,
  format: ImportFormat,
  bytes: Uint8Array,
  name: string | undefined,
  options: ImportOptions,
): Promise<ReadDocument> {
  const outcome = await compute.run({ kind: 'import', format, bytes, name, options })
  if (outcome.kind === 'over') throw failures.invalid('', `is too large to be read: ${outcome.message}`, 'too-large')
  const { result } = outcome
  if (result.kind === 'too-large') throw new HttpError('payload-too-large', result.message)
  if (result.kind === 'not-text') throw httpErrors.notText()
  if (result.kind === 'not-json') throw httpErrors.notJson(result.problem)
  if (result.kind === 'unstorable') throw failures.invalid(result.path, result.message)
  const { imported, report, unstorable } = result
  if (imported.rulesets.length === 0) throw invalidDocument(imported.lost)
  return { imported, report, unstorable }
}

/**
 * Store all rulesets of a document as new drafts with their contracts and cases, or none. Throws 400 if a part was lost,
 * 403 if the caller must not create contracts, and 409 if the name of a ruleset or contract is taken.
 */
export async function applyImported(
  parts: DraftParts,
  acting: Acting<InProject>,
  { imported: { rulesets, lost }, unstorable }: ReadDocument,
): Promise<void> {
  if (lost.some(({ severity }) => severity === 'error')) throw invalidDocument(lost)
  if (unstorable !== undefined) throw failures.invalid(unstorable.path, unstorable.message)
  if (rulesets.some(({ contract }) => contract !== undefined) && !acting.place.member.permissions.has('contract.edit'))
    throw failures.forbidden(
      'the schema of the document becomes a contract: this needs the right `contract.edit`',
      'contract.edit',
    )
  const { problems } = shownIn(parts, acting.place)
  for (const { name, ruleset } of rulesets) {
    requireName(name, '')
    if (Buffer.byteLength(await jsonText(ruleset)) > DOCUMENT_BYTES)
      throw failures.invalid('', `makes a ruleset of more than ${DOCUMENT_BYTES} bytes: divide it`, 'too-large')
    await problems.ofSave(smallDraft(ruleset))
  }
  try {
    await acting.changeUnlocked(async (change) => {
      const inner = acting.within(change)
      for (const { ruleset, cases = [], contract } of rulesets) {
        const { row } = await saveDraft(inner, smallDraft(ruleset), 0)
        if (contract !== undefined) await createContract(inner, contract as ContractRequest)
        if (cases.length > 0) await replaceSuites({ acting: inner, draftId: row.id }, cases)
      }
    })
  } catch (error) {
    if (!(error instanceof StaleDraft)) throw error
    throw failures.conflict('duplicate', `there is a ruleset \`${error.draftName}\` already`)
  }
}
