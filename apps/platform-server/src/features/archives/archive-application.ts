import { type ProjectArchive, sameValue } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { createPauses } from '@engine/process'
import { Applied, type Applying, type Importing } from './import-context.ts'
import { applyEnvironments } from './environments.ts'
import { presentProject } from './current-project.ts'
import { ImportProblems } from './problems.ts'
import { removeTheRest } from './removal.ts'
import { conceptStep, contractStep, factStep, rulesetStep, type Step, subRuleStep } from './steps.ts'
import { applySuites } from './suites.ts'

/**
 * Bring a project to the state of an archive through the features' own operations, so that an import passes the same checks
 * and leaves the same audit entries as single requests. Throws `RefusedImport` with all problems.
 */
export async function applyArchive(importing: Importing, archive: ProjectArchive): Promise<Applied> {
  const present = await presentProject(importing.change.scope, importing.acting.place.project)
  const problems = new ImportProblems()
  const applied = new Applied()
  const applying: Applying = { ...importing, archive, present, applied, problems }
  await applyEnvironments(applying)
  await putAll(applying, await conceptStep(applying))
  await putAll(applying, factStep(applying))
  await putAll(applying, contractStep(applying))
  await putAll(applying, subRuleStep(applying))
  await putAll(applying, rulesetStep(applying))
  await applySuites(applying)
  if (importing.prune) await removeTheRest(applying)
  problems.refuse()
  return applied
}

/** Store the items that differ, and yield to other requests in between. */
async function putAll<Item extends object>(
  { applied, problems }: Applying,
  { kind, path, before, after, nameOf, accepts, put }: Step<Item>,
): Promise<void> {
  const stored = new Map(before.map((item) => [nameOf(item), item]))
  const paused = createPauses()
  for (const item of after) {
    await paused()
    const name = nameOf(item)
    const was = stored.get(name)
    if (was !== undefined && sameValue(was as Value, item as Value)) continue
    const file = path(name)
    if (!accepts(item, file) || !(await problems.attempt(file, () => put(item, was)))) continue
    applied.note(was === undefined ? 'created' : 'changed', kind, file)
  }
}
