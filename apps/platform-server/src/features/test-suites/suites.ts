import { type Case as CaseDocument, decodeCases } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { HttpError } from '@engine/http-server'
import { jsonText } from '@engine/process'
import type { Selectable } from 'kysely'
import { randomUUIDv7 } from 'node:crypto'
import type { Author } from '../../database/audit.ts'
import { type Change, type Database, duplicateOf } from '../../database/database.ts'
import { isId } from '../../database/org-id.ts'
import { bytesOf, type CutPage, type Page, roomyRows } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { OrgTables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import { recordOf } from '../../resources/resource-fields.ts'
import { staleRevision } from '../../resources/revision.ts'
import type { InProject } from '../projects/project-scope.ts'
import { type Case, type CaseRequest, MAX_CASES, type SuiteRequest, type TestSuite } from './model.ts'

export type SuiteRow = Selectable<OrgTables['test_suites']>

/** Where suites are changed, and by whom. */
export interface Changing {
  readonly database: Database
  readonly place: InProject
  readonly author: Author
  /** Id of the user or key. */
  readonly by: string
  /** Of the ruleset. */
  readonly draftId: string
}

/** The suite of cases that are added one by one. */
const DEFAULT = 'default'
/** Cases of one suite, and characters of their JSON text. */
const MAX_TEXT = 10 * 1024 * 1024

export function suiteOf(row: SuiteRow): TestSuite {
  return { ...recordOf(row), name: row.name, cases: casesOf(row) }
}

export const casesOf = ({ cases }: Pick<SuiteRow, 'cases'>): Case[] => cases as unknown as Case[]

/** A page of the suites of a ruleset, and the page that it is: large suites come in shorter ones. */
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

/** Throws `not-found`. */
export async function suiteBy(scope: Scope, draftId: string, id: string): Promise<SuiteRow> {
  const own = scope.read('test_suites').selectFrom('test_suites').selectAll().where('draft_id', '=', draftId)
  const row = isId(id) ? await own.where('id', '=', id).executeTakeFirst() : undefined
  if (row === undefined) throw failures.notFound('test suite', id)
  return row
}

export function createSuite(changing: Changing, request: SuiteRequest): Promise<TestSuite> {
  const cases = numbered(request.cases, [])
  return inChange(changing, request.name, (change) => added(changing, change, request.name, cases))
}

/** Replace name and cases of a suite. @param rev that it must have; undefined: any */
export function changeSuite(
  changing: Changing,
  id: string,
  request: SuiteRequest,
  rev: number | undefined,
): Promise<TestSuite> {
  return inChange(changing, request.name, async (change) => {
    const row = await suiteBy(change.scope, changing.draftId, id)
    if (rev !== undefined && row.rev !== rev) throw staleRevision(suiteOf(row))
    return stored(changing, change, row, request.name, numbered(request.cases, casesOf(row)))
  })
}

export function deleteSuite(changing: Changing, id: string, rev: number | undefined): Promise<void> {
  return inChange(changing, '', async ({ scope, audit }) => {
    const row = await suiteBy(scope, changing.draftId, id)
    const before = suiteOf(row)
    if (rev !== undefined && row.rev !== rev) throw staleRevision(before)
    await scope.delete('test_suites').where('id', '=', id).execute()
    await audit({ action: 'suite.deleted', object: row, before: audited(before), projectId: projectOf(changing) })
  })
}

/** A case with the id of its suite. */
interface AddedCase {
  readonly suite: string
  readonly made: Case
}

/** Add a case to a suite. @param id undefined: the suite `default`, which is made where it is missing */
export async function addCase(changing: Changing, id: string | undefined, request: CaseRequest): Promise<AddedCase> {
  const suite = await inChange(changing, DEFAULT, async (change) => {
    const row = id === undefined ? await suiteNamed(change.scope, changing.draftId, DEFAULT) : undefined
    const found = id === undefined ? row : await suiteBy(change.scope, changing.draftId, id)
    const present = found === undefined ? [] : casesOf(found)
    const cases = numbered([...present, request], present, `/${present.length}`)
    if (found === undefined) return added(changing, change, DEFAULT, cases)
    return stored(changing, change, found, found.name, cases)
  })
  return { suite: suite.id, made: suite.cases.at(-1) as Case }
}

/** Replace a case. Throws `not-found`. */
export async function changeCase(changing: Changing, id: string, caseId: string, request: CaseRequest): Promise<Case> {
  const suite = await withCase(changing, id, caseId, (cases, index) =>
    numbered(cases.with(index, { input: {}, ...request, id: caseId }), cases, `/${index}`),
  )
  return suite.cases.find((one) => one.id === caseId) as Case
}

/** Remove a case. Throws `not-found`. */
export async function deleteCase(changing: Changing, id: string, caseId: string): Promise<void> {
  await withCase(changing, id, caseId, (cases, index) => cases.toSpliced(index, 1))
}

function withCase(
  changing: Changing,
  id: string,
  caseId: string,
  change: (cases: Case[], index: number) => readonly Case[],
): Promise<TestSuite> {
  return inChange(changing, '', async (open) => {
    const row = await suiteBy(open.scope, changing.draftId, id)
    const cases = casesOf(row)
    const index = cases.findIndex((one) => one.id === caseId)
    if (index < 0) throw failures.notFound('case', caseId)
    return stored(changing, open, row, row.name, change(cases, index))
  })
}

/** Put cases in the place of all suites of a ruleset, each in the suite that it names. */
export function replaceSuites(changing: Changing, cases: readonly CaseDocument[]): Promise<readonly TestSuite[]> {
  return inChange(changing, '', async (change) => {
    const bySuite = Map.groupBy(cases, ({ suite }) => suite ?? DEFAULT)
    const rows = new Map((await suitesOf(change.scope, [changing.draftId])).map((row) => [row.name, row]))
    const suites: TestSuite[] = []
    for (const [name, list] of bySuite) suites.push(await put(changing, change, rows.get(name), name, list))
    return suites
  })
}

/** Put cases in the place of those of one suite of a ruleset, which is made where it is missing. */
export function putSuite(changing: Changing, name: string, cases: readonly CaseDocument[]): Promise<TestSuite> {
  return inChange(changing, name, async (change) =>
    put(changing, change, await suiteNamed(change.scope, changing.draftId, name), name, cases),
  )
}

/** A case keeps its id by its name. */
function put(
  changing: Changing,
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
  return row === undefined ? added(changing, change, name, kept) : stored(changing, change, row, name, kept)
}

async function added(changing: Changing, change: Change, name: string, cases: readonly Case[]): Promise<TestSuite> {
  const { draftId: draft_id, by: created_by } = changing
  const row = { id: randomUUIDv7(), draft_id, name, cases: await textOf(cases), created_by }
  const made = suiteOf(await change.scope.insert('test_suites', row).returningAll().executeTakeFirstOrThrow())
  await change.audit({ action: 'suite.created', object: made, after: audited(made), projectId: projectOf(changing) })
  return made
}

async function stored(
  changing: Changing,
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
  await audit({ action: 'suite.updated', object: after, before, after: audited(after), projectId: projectOf(changing) })
  return after
}

const projectOf = ({ place }: Changing) => place.project.id

/** A suite without the contents of its cases, which would make the audit as large as all suites ever were. */
const audited = ({ cases, ...suite }: TestSuite): Value => ({ ...suite, cases: cases.length })

async function textOf(cases: readonly Case[]): Promise<string> {
  if (cases.length > MAX_CASES) throw failures.invalid('/cases', `must have at most ${MAX_CASES} items`)
  const text = await jsonText(cases)
  if (text.length > MAX_TEXT) throw failures.invalid('/cases', `must have at most ${MAX_TEXT} characters in one suite`)
  return text
}

/** Cases with their ids: those of the suite keep theirs. Throws 400. @param only where the one is that the body has */
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
    // No two cases have one id.
    known.delete(id)
    return { input: {}, ...one, id }
  })
}

function suiteNamed(scope: Scope, draftId: string, name: string): Promise<SuiteRow | undefined> {
  const own = scope.read('test_suites').selectFrom('test_suites').selectAll().where('draft_id', '=', draftId)
  return own.where('name', '=', name).executeTakeFirst()
}

async function inChange<Result>(
  { database, place, author }: Changing,
  name: string,
  work: (change: Change) => Promise<Result>,
): Promise<Result> {
  try {
    return await database.change(place.member.org, author, async (change) => {
      await change.lock()
      return work(change)
    })
  } catch (error) {
    if (duplicateOf(error) === 'test_suites_org_id_draft_id_name_key')
      throw failures.conflict('duplicate', `there is a test suite \`${name}\` already`)
    throw error
  }
}
