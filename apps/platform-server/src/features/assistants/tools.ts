import type { Value } from '@engine/expression'
import { jsonText } from '@engine/process'
import { Type } from 'typebox'
import { type Caller, reachesEnvironment } from '../../access/caller.ts'
import { isFew } from '../../compute/check.ts'
import type { Compute } from '../../compute/compute.ts'
import { readLargeBody } from '../../compute/large-body-reader.ts'
import { invalidDocument } from '../../resources/invalid-document.ts'
import { failures } from '../../errors.ts'
import { contractFor } from '../catalog/contract-in-use.ts'
import { requireName } from '../drafts/draft-name.ts'
import { Ruleset } from '../drafts/model.ts'
import {
  allDrafts,
  currentDraft,
  draftAt,
  liveOf,
  type DraftRow,
  saveLength,
  type StoredDraft,
} from '../drafts/repository.ts'
import { Acting } from '../../resources/acting.ts'
import { withStaleConflict } from '../drafts/draft-store.ts'
import { type SentDraft, sentDraft } from '../drafts/sent-draft.ts'
import { saveDraft } from '../drafts/service.ts'
import { type AnalyzingParts, atDraft, type DraftParts, shownIn } from '../drafts/view.ts'
import { subjectOf } from '../drafts/subject.ts'
import { TraceRequest } from '../test-suites/model.ts'
import { runSuites } from '../test-suites/runs.ts'
import { suitesOf } from '../test-suites/suites.ts'
import type { InProject } from '../projects/project-scope.ts'
import { analyzeSave, sentencesOfAnalysis } from '../drafts/save-analysis.ts'
import { sentencesOf } from './explain.ts'
import { type Tool, tool } from './tool.ts'

const project_id = Type.String({ description: 'id of the project' })
const name = Type.String({ description: 'name of the ruleset' })
const seq = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'a save; default: the last one' }),
)
const { input, now, stubs } = TraceRequest.properties

/** The tools of assistants: they read, test and propose. None publishes, releases or approves. */
export function toolsOf(parts: AnalyzingParts): readonly Tool[] {
  return [...readTools(parts), ...testTools(parts), proposeDraft(parts)]
}

function readTools(parts: DraftParts): readonly Tool[] {
  return [
    tool({
      name: 'list_rulesets',
      description: 'The rulesets of a project, with the version that decides in each environment.',
      right: 'member',
      schema: Type.Object({ project_id }),
      async run(_given, { place: { member, project }, caller }) {
        const rows = await allDrafts(member.scope, project.id)
        const names = rows.map((row) => row.name)
        const live = Map.groupBy(await liveOf(member.scope, project.id, names), (one) => one.name)
        const rulesets = rows.map((row) => ({
          name: row.name,
          version: row.version,
          description: row.description,
          seq: row.seq,
          live: (live.get(row.name) ?? [])
            .filter(({ environment }) => reachesEnvironment(caller, environment))
            .map(({ environment, version }) => ({ environment, version })),
        }))
        return { project: { id: project.id, name: project.name, description: project.description }, rulesets }
      },
    }),
    tool({
      name: 'get_ruleset',
      description: 'A ruleset in the format of the editor, with its problems and the contract that it is held to.',
      right: 'member',
      schema: Type.Object({ project_id, name, seq }),
      async run(given, { place }) {
        await refuseLarge(place, given.name, given.seq)
        const draft = await draftOf(place, given.name, given.seq)
        const inUse = await contractFor(place.member.scope, place.project.id, draft.ruleset)
        const shown = await shownIn(parts, place).shown(draft)
        return { ...shown, contract: inUse?.contract ?? null } as unknown as Value
      },
    }),
  ]
}

function testTools(parts: AnalyzingParts): readonly Tool[] {
  const { compute } = parts
  return [
    tool({
      name: 'explain',
      description:
        'Why a ruleset decides as it does for an input: every step in words, and the decision. Nothing is called.',
      right: 'test.run',
      schema: Type.Object({ project_id, name, input, seq, now, stubs }),
      async run({ name: of, input: value, seq: at, now: time, stubs: answers }, { place }) {
        const { scope } = place.member
        const { ruleset } = await draftOf(place, of, at)
        const contract = await contractFor(scope, place.project.id, ruleset)
        const subject = await subjectOf(scope, place.project.id, ruleset, contract)
        const outcome = await compute.run({ kind: 'trace', subject, input: value, now: time, stubs: answers })
        if (outcome.kind === 'over')
          throw failures.refused(`the execution was ended: ${outcome.message}`, 'over-budget')
        if (outcome.result.kind === 'problems') throw invalidDocument(outcome.result.problems)
        const { traced } = outcome.result
        const { code, message, output, error } = traced
        return { code, message, output, ...(error !== undefined && { error }), explanation: [...sentencesOf(traced)] }
      },
    }),
    tool({
      name: 'validate',
      description: 'The problems of a ruleset as it is given, each with its place. Nothing is stored.',
      right: 'member',
      schema: Type.Object({ project_id, ruleset: Ruleset }),
      async run({ ruleset }, { place }) {
        const { problems } = await shownIn(parts, place).check(await readDraft(compute, ruleset))
        return { problems } as unknown as Value
      },
    }),
    tool({
      name: 'analyze',
      description:
        'The mistakes of a ruleset for all inputs, such as rows that are never reached or inputs without a result, and what it would ' +
        'change in each environment where it is live. Proved, or shown by an input.',
      right: 'member',
      schema: Type.Object({ project_id, name, seq }),
      async run(given, { place, caller }) {
        const row = await atDraft(place, { name: given.name })
        return { analysis: [...(await analysisOf(parts, place, caller, row, given.seq ?? row.seq))] }
      },
    }),
    tool({
      name: 'run_tests',
      description: 'Run the test suites of a ruleset. What fails is listed with the decision that was made instead.',
      right: 'test.run',
      schema: Type.Object({ project_id, name, seq }),
      async run(given, { place }) {
        const { scope } = place.member
        const row = await atDraft(place, { name: given.name })
        const run = { scope, project: place.project.id, compute }
        const { results, ...sums } = await runSuites(
          run,
          row,
          { ...(given.seq !== undefined && { seq: given.seq }) },
          await suitesOf(scope, [row.id]),
        )
        return { ...sums, failures: results.filter(({ passed }) => !passed) }
      },
    }),
  ]
}

function proposeDraft(parts: AnalyzingParts): Tool {
  const { database, compute } = parts
  return tool({
    name: 'propose_draft',
    description:
      'Save a ruleset as the draft of its name, for people to review. `expected_seq` is the `seq` that it was made from, 0 for a ' +
      'new ruleset. No engine decides by it until people publish or release it. `analysis` says which mistakes it has for all inputs, ' +
      'and what it would change where the ruleset is live.',
    right: 'ruleset.edit',
    changes: true,
    schema: Type.Object({
      project_id,
      ruleset: Ruleset,
      expected_seq: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
    }),
    async run({ ruleset, expected_seq }, { place, caller, author }) {
      const draft = await readDraft(compute, ruleset)
      requireName(draft.config.name, '/ruleset/config/name')
      const { problems, shownText } = shownIn(parts, place)
      const found = await problems.ofSave(draft)
      const acting = new Acting({ database, place, caller, author })
      const saved = await withStaleConflict(place, shownText, () => saveDraft(acting, draft, expected_seq))
      const { name: of } = draft.config
      const isSound = found.every(({ severity }) => severity !== 'error')
      const analysis = isSound ? await analysisOf(parts, place, caller, saved.row, saved.seq) : []
      return { name: of, seq: saved.seq, problems: found, analysis } as unknown as Value
    },
  })
}

/** The analysis of a save as sentences. */
async function analysisOf(
  parts: AnalyzingParts,
  place: InProject,
  caller: Caller,
  row: DraftRow,
  save: number,
): Promise<readonly string[]> {
  return sentencesOfAnalysis(await analyzeSave(parts, place, caller, row, save))
}

/** Parse the ruleset of a message, on a worker thread if it is large. Throws 400. */
async function readDraft(compute: Compute, ruleset: unknown): Promise<SentDraft> {
  if (isFew(ruleset as Value)) return sentDraft(ruleset)
  const text = await jsonText({ ruleset: ruleset as Value })
  const body = await readLargeBody(compute)(text, { name: 'ruleset', format: 'editor' })
  return sentDraft((body as { readonly ruleset: unknown }).ruleset)
}

/** Refuse a ruleset that exceeds the message size of assistants. */
async function refuseLarge(place: InProject, of: string, at: number | undefined): Promise<void> {
  const last = at ?? (await atDraft(place, { name: of })).seq
  const length = (await saveLength(place.member.scope, place.project.id, of, last)) ?? 0
  if (length > MAX_RULESET_CHARACTERS)
    throw failures.refused(
      `the ruleset has ${length} characters, and an assistant reads ${MAX_RULESET_CHARACTERS} at most`,
      'too-large',
    )
}

const MAX_RULESET_CHARACTERS = 1024 * 1024

/** Throws `not-found`. */
async function draftOf(place: InProject, of: string, at: number | undefined): Promise<StoredDraft> {
  const { scope } = place.member
  const draft =
    at === undefined ? await currentDraft(scope, place.project.id, of) : await draftAt(scope, place.project.id, of, at)
  if (draft === undefined) throw failures.notFound(at === undefined ? 'ruleset' : `save ${at} of the ruleset`, of)
  return draft
}
