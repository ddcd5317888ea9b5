import type { RulesetDocument } from '@engine/ruleset'
import type { Compute } from '../../compute/compute.ts'
import { failures } from '../../errors.ts'
import { invalidDocument } from '../../resources/invalid-document.ts'
import type { InProject } from '../projects/project-scope.ts'
import { checkDraft, hasErrors } from './draft-check.ts'
import { draftAt, draftNamed } from './repository.ts'

/** A save in the format of engines. Throws 400 for `/ruleset`, `/from_seq`, and a save with errors. */
export async function savedDocument(
  compute: Compute,
  { member: { scope }, project }: InProject,
  { ruleset, from_seq }: { readonly ruleset: string; readonly from_seq: number },
): Promise<RulesetDocument> {
  if ((await draftNamed(scope, project.id, ruleset)) === undefined)
    throw failures.invalid('/ruleset', 'is not a ruleset of this project')
  const save = await draftAt(scope, project.id, ruleset, from_seq)
  if (save === undefined) throw failures.invalid('/from_seq', `is not a save of \`${ruleset}\``)
  const { ruleset: document, problems } = await checkDraft(compute, scope, project.id, save.ruleset)
  if (document === undefined || hasErrors(problems)) throw invalidDocument(problems)
  return document
}
