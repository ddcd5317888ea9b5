import { type Case as CaseDocument, decodeCases } from '@engine/authoring'
import { defined, type Value } from '@engine/expression'
import { HttpError } from '@engine/http-server'
import { jsonText } from '@engine/process'
import type { Selectable } from 'kysely'
import { randomUUIDv7 } from 'node:crypto'
import type { Change } from '../../database/database.ts'
import { chargeRead } from '../../database/long-json.ts'
import { isId } from '../../database/org-id.ts'
import { bytesOf, type CutPage, type Page, roomyRows, totalBytes } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { OrgTables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import { recordOf } from '../../resources/resource-fields.ts'
import type { Acting } from '../../resources/acting.ts'
import { staleRevision } from '../../resources/revision.ts'
import type { InProject } from '../projects/project-scope.ts'
import { type Case, type CaseRequest, MAX_CASES, type SuiteRequest, type TestSuite } from './model.ts'

export type SuiteRow = Selectable<OrgTables['test_suites']>

/** The ruleset whose suites change, and the author. */
export interface SuiteChanges {
  readonly acting: Acting<InProject>
  /** Id of the ruleset's draft. */
  readonly draftId: string
}

/** The suite to which single cases are added by default. */
const DEFAULT = 'default'
/** Maximum length of a suite as JSON text, in characters. */
const MAX_SUITE_CHARACTERS = 10 * 1024 * 1024

export function suiteOf(row: SuiteRow): TestSuite {
  return { ...recordOf(row), name: row.name, cases: casesOf(row) }
}

export const casesOf = ({ cases }: Pick<SuiteRow, 'cases'>): Case[] => cases as Case[]

/** A page of the suites of a ruleset. Pages with large suites are shorter than requested. */
export async function suitesOn(scope: Scope, draftId: string, asked: Page): Promise<CutPage<SuiteRow>> {
  const own = scope.read('test_suites').selectFrom('test_suites').where('draft_id', '=', draftId)
  return roomyRows(own.select(bytesOf('cases')), own.selectAll(), asked, { key: asked.sort, id: 'id', texts: ['name'] })
}

/** All suites of rulesets, by name. */
export function suitesOf(scope: Scope, draftIds: readonly string[]): Promise<SuiteRow[]> {
  if (draftIds.length === 0) return Promise.resolve([])
  const all = scope.read('test_suites').selectFrom('test_suites').selectAll()
  return all
    .where('draft_id', 'in', [...draftIds])
    .orderBy('name')
    .execute()
}

/** All suites of rulesets, by name, with their cases as text. Charges their memory to the request before it reads them. */
export async function suiteTexts(scope: Scope, draftIds: readonly string[]) {
  if (draftIds.length === 0) return []
  const all = scope
    .read('test_suites')
    .selectFrom('test_suites')
    .where('draft_id', 'in', [...draftIds])
  const size = await all.select(totalBytes('cases')).executeTakeFirst()
  chargeRead(size?.bytes ?? 0)
  return all
    .select((eb) => ['name', 'draft_id', eb.cast<string>('cases', 'text').as('cases')])
    .orderBy('name')
    .execute()
}

/** Throws `not-found`. */
export async function suiteBy(scope: Scope, draftId: string, id: string): Promise<SuiteRow> {
  const own = scope.read('test_suites').selectFrom('test_suites').selectAll().where('draft_id', '=', draftId)
  const row = isId(id) ? await own.where('id', '=', id).executeTakeFirst() : undefined
  if (row === undefined) throw failures.notFound('test suite', id)
  return row
}

/** Throws 409 `duplicate` for the name of another suite of the ruleset, 400 for too many cases. */
export function createSuite(changes: SuiteChanges, request: SuiteRequest): Promise<TestSuite> {
  const cases = numbered(request.cases, [])
  return changes.acting.change((change) => added(changes, change, request.name, cases), request.name)
}

/** Replace name and cases of a suite. @param rev the revision that it must have; undefined: any */
export function changeSuite(
  changes: SuiteChanges,
  id: string,
  request: SuiteRequest,
  rev: number | undefined,
): Promise<TestSuite> {
  return changes.acting.change(async (change) => {
    const row = await suiteBy(change.scope, changes.draftId, id)
    if (rev !== undefined && row.rev !== rev) throw staleRevision(suiteOf(row))
    return stored(change, row, request.name, numbered(request.cases, casesOf(row)))
  }, request.name)
}

/** Delete a suite with its cases. @param rev the revision that it must have; undefined: any */
export function deleteSuite(changes: SuiteChanges, id: string, rev: number | undefined): Promise<void> {
  return changes.acting.change(async ({ scope, audit }) => {
    const row = await suiteBy(scope, changes.draftId, id)
    const before = suiteOf(row)
    if (rev !== undefined && row.rev !== rev) throw staleRevision(before)
    await scope.delete('test_suites').where('id', '=', id).execute()
    await audit({ action: 'suite.deleted', object: row, before: audited(before) })
  })
}

/** A case with the id of its suite. */
interface AddedCase {
  readonly suite: string
  readonly made: Case
}

/** Add a case to a suite. @param id undefined: the suite `default`, which is created if missing */
export async function addCase(changes: SuiteChanges, id: string | undefined, request: CaseRequest): Promise<AddedCase> {
  const suite = await changes.acting.change(async (change) => {
    const row = id === undefined ? await suiteNamed(change.scope, changes.draftId, DEFAULT) : undefined
    const found = id === undefined ? row : await suiteBy(change.scope, changes.draftId, id)
    const present = found === undefined ? [] : casesOf(found)
    const cases = numbered([...present, request], present, `/${present.length}`)
    if (found === undefined) return added(changes, change, DEFAULT, cases)
    return stored(change, found, found.name, cases)
  }, DEFAULT)
  return { suite: suite.id, made: defined(suite.cases.at(-1)) }
}

/** Replace a case. Throws `not-found`. */
export async function changeCase(
  changes: SuiteChanges,
  id: string,
  caseId: string,
  request: CaseRequest,
): Promise<Case> {
  const suite = await withCase(changes, id, caseId, (cases, index) =>
    numbered(cases.with(index, { input: {}, ...request, id: caseId }), cases, `/${index}`),
  )
  return defined(suite.cases.find((one) => one.id === caseId))
}

/** Remove a case. Throws `not-found`. */
export async function deleteCase(changes: SuiteChanges, id: string, caseId: string): Promise<void> {
  await withCase(changes, id, caseId, (cases, index) => cases.toSpliced(index, 1))
}

function withCase(
  changes: SuiteChanges,
  id: string,
  caseId: string,
  change: (cases: Case[], index: number) => readonly Case[],
): Promise<TestSuite> {
  return changes.acting.change(async (open) => {
    const row = await suiteBy(open.scope, changes.draftId, id)
    const cases = casesOf(row)
    const index = cases.findIndex((one) => one.id === caseId)
    if (index < 0) throw failures.notFound('case', caseId)
    return stored(open, row, row.name, change(cases, index))
  })
}

/** Replace all suites of a ruleset with these cases, each in the suite that it names. */
export function replaceSuites(changes: SuiteChanges, cases: readonly CaseDocument[]): Promise<readonly TestSuite[]> {
  return changes.acting.change(async (change) => {
    const bySuite = Map.groupBy(cases, ({ suite }) => suite ?? DEFAULT)
    const rows = new Map((await suitesOf(change.scope, [changes.draftId])).map((row) => [row.name, row]))
    const suites: TestSuite[] = []
    for (const [name, list] of bySuite) suites.push(await put(changes, change, rows.get(name), name, list))
    return suites
  })
}

/** Replace the cases of one suite of a ruleset; the suite is created if missing. */
export function putSuite(changes: SuiteChanges, name: string, cases: readonly CaseDocument[]): Promise<TestSuite> {
  return changes.acting.change(
    async (change) => put(changes, change, await suiteNamed(change.scope, changes.draftId, name), name, cases),
    name,
  )
}

/** A case with the name of an existing one keeps its id. */
function put(
  changes: SuiteChanges,
  change: Change,
  row: SuiteRow | undefined,
  name: string,
  list: readonly CaseDocument[],
): Promise<TestSuite> {
  const known = row === undefined ? [] : casesOf(row)
  const ids = new Map(known.map((one) => [one.name, one.id]))
  const kept = list.map(({ suite: _suite, ...one }) => ({
    ...one,
    id: ids.get(one.name) ?? randomUUIDv7(),
  })) as Case[]
  return row === undefined ? added(changes, change, name, kept) : stored(change, row, name, kept)
}

async function added(changes: SuiteChanges, change: Change, name: string, cases: readonly Case[]): Promise<TestSuite> {
  const { draftId: draft_id } = changes
  const row = { id: randomUUIDv7(), draft_id, name, cases: await textOf(cases), created_by: changes.acting.by }
  const made = suiteOf(await change.scope.insert('test_suites', row).returningAll().executeTakeFirstOrThrow())
  await change.audit({ action: 'suite.created', object: made, after: audited(made) })
  return made
}

async function stored(
  { scope, audit }: Change,
  row: SuiteRow,
  name: string,
  cases: readonly Case[],
): Promise<TestSuite> {
  const changed = await scope
    .update('test_suites')
    .set({ name, cases: await textOf(cases), updated_at: new Date(), rev: row.rev + 1 })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  const after = suiteOf(changed)
  const before = audited(suiteOf(row))
  await audit({ action: 'suite.updated', object: after, before, after: audited(after) })
  return after
}

/** A suite without its cases, whose contents would make the audit log as large as all suites ever stored. */
const audited = ({ cases, ...suite }: TestSuite): Value => ({ ...suite, cases: cases.length })

async function textOf(cases: readonly Case[]): Promise<string> {
  if (cases.length > MAX_CASES) throw failures.invalid('/cases', `must have at most ${MAX_CASES} items`)
  const text = await jsonText(cases)
  if (text.length > MAX_SUITE_CHARACTERS)
    throw failures.invalid('/cases', `must have at most ${MAX_SUITE_CHARACTERS} characters in one suite`)
  return text
}

/**
 * Cases with ids: existing cases keep theirs. Throws 400. @param only the JSON pointer of the case if it is the whole
 * body
 */
function numbered(list: readonly SuiteRequest['cases'][number][], present: readonly Case[], only?: string): Case[] {
  const known = new Set(present.map(({ id }) => id))
  const { faults } = decodeCases(list)
  if (faults.length > 0) {
    const at = (path: string) =>
      only === undefined ? `/cases${path}` : path.startsWith(only) ? path.slice(only.length) : path
    const details = faults.map(({ path, message }) => ({ path: at(path), message, code: 'bad-case' }))
    throw new HttpError('invalid-request', details.map(({ path, message }) => `\`${path}\` ${message}`).join('; '), {
      details,
    })
  }
  return list.map((one) => {
    const id = one.id !== undefined && known.has(one.id) ? one.id : randomUUIDv7()
    // Two cases never share an id.
    known.delete(id)
    return { input: {}, ...one, id }
  })
}

function suiteNamed(scope: Scope, draftId: string, name: string): Promise<SuiteRow | undefined> {
  const own = scope.read('test_suites').selectFrom('test_suites').selectAll().where('draft_id', '=', draftId)
  return own.where('name', '=', name).executeTakeFirst()
}
