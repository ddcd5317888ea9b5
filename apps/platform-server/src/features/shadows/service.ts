import { isObject, type Value } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { randomUUIDv7 } from 'node:crypto'
import { type Caller, reachesEnvironment } from '../../access/caller.ts'
import type { Compute } from '../../compute/compute.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import { savedDocument } from '../drafts/saved-document.ts'
import { keepContent } from '../engines/contents.ts'
import type { InProject } from '../projects/project-scope.ts'
import { environmentIn, type EnvironmentRow } from '../projects/repository.ts'
import { projectTopic } from '../projects/service.ts'
import type { Shadow, ShadowRequest } from './model.ts'
import { shadowBy, shadowOf, type ShadowRow, shadowsUnderWay } from './repository.ts'

/** Longest duration of a shadow. */
const MAX_DURATION_MS = 30 * 24 * 3600 * 1000
/** Maximum number of running shadows per project. */
const MAX_SHADOWS = 20

/**
 * Runs a save in parallel to the live version. Throws 400 for a save with errors or calls, 409 if a shadow of the same
 * ruleset and environment is running.
 */
export async function createShadow(
  acting: Acting<InProject>,
  compute: Compute,
  request: ShadowRequest,
): Promise<Shadow> {
  const { database, place, caller } = acting
  const { project } = place
  const environment = await environmentFor(place, caller, request.environment)
  const ends = endOf(request.ends_at)
  const document = await candidateOf(compute, place, request)
  const digest = await keepContent(database, document)
  return acting.change(async ({ scope, audit, wake }) => {
    await refuseMore(scope, project.id, environment, request.ruleset)
    const row = await scope
      .insert('shadows', {
        id: randomUUIDv7(),
        project_id: project.id,
        environment_id: environment.id,
        ruleset_name: request.ruleset,
        from_seq: request.from_seq,
        digest,
        percent: request.percent,
        ends_at: ends,
        created_by: acting.by,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const shadow = shadowOf({ ...row, environment: environment.name })
    await audit({ action: 'shadow.created', object: nameOf(row), after: shadow })
    await wake(projectTopic(project.id))
    return shadow
  })
}

/** Ends a shadow and deletes its results. */
export async function deleteShadow(acting: Acting<InProject>, id: string): Promise<void> {
  const { project } = acting.place
  await acting.change(async ({ scope, audit, wake }) => {
    const row = await shadowBy(scope, project.id, id)
    await scope.delete('shadows').where('id', '=', id).execute()
    await audit({ action: 'shadow.deleted', object: nameOf(row), before: shadowOf(row) })
    await wake(projectTopic(project.id))
  })
}

const nameOf = ({ id, ruleset_name }: Pick<ShadowRow, 'id' | 'ruleset_name'>) => ({ id, name: ruleset_name })

async function environmentFor({ member, project }: InProject, caller: Caller, key: string): Promise<EnvironmentRow> {
  const row = await environmentIn(member.scope, project.id, key)
  if (row === undefined || !reachesEnvironment(caller, row.name))
    throw failures.invalid('/environment', 'is not an environment of this project')
  return row
}

function endOf(text: string): Date {
  const [end, now] = [Date.parse(text), Date.now()]
  if (!(end > now)) throw failures.invalid('/ends_at', 'is over already')
  if (end > now + MAX_DURATION_MS) throw failures.invalid('/ends_at', 'is more than 30 days from now')
  return new Date(end)
}

async function refuseMore(
  scope: InProject['member']['scope'],
  project: string,
  { id, name }: EnvironmentRow,
  ruleset: string,
): Promise<void> {
  const others = await shadowsUnderWay(scope, project, new Date())
  if (others.some((one) => one.environment_id === id && one.ruleset_name === ruleset))
    throw failures.conflict('duplicate', `there is a shadow of \`${ruleset}\` in \`${name}\` already: delete it first`)
  if (others.length >= MAX_SHADOWS)
    throw failures.conflict(
      'busy',
      `${MAX_SHADOWS} shadows of the project are under way: delete one, or wait for its end`,
    )
}

/** The content of a save, in the format of engines. */
async function candidateOf(compute: Compute, place: InProject, request: ShadowRequest): Promise<RulesetDocument> {
  const document = await savedDocument(compute, place, request)
  const calling = stepsThatCall(document)
  if (calling.length > 0)
    throw failures.invalid(
      '/from_seq',
      `calls others (${calling.join(', ')}), which a shadow must not: its calls would have effects`,
    )
  return document
}

const CALLS: ReadonlySet<Value> = new Set(['external_call', 'call_ruleset'])

/** Ids of steps with calls. The conversion of a draft guarantees the format. */
function stepsThatCall({ steps }: RulesetDocument): readonly string[] {
  const all = steps as unknown as Readonly<Record<string, { readonly actions?: readonly Value[] }>>
  return Object.entries(all)
    .filter(([, { actions = [] }]) => actions.some((one) => isObject(one) && CALLS.has(one['action'] ?? null)))
    .map(([id]) => `\`${id}\``)
}
