import { decodeCases } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { invalidParameter } from '@engine/http-api'
import { HttpError } from '@engine/http-server'
import { Type } from 'typebox'
import { json } from '../../http/json-response.ts'
import type { Compute } from '../../compute/compute.ts'
import type { Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import { actingIn, type ActingRequest } from '../../resources/acting.ts'
import { created, LOCATION } from '../../resources/created-response.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { ETAG } from '../../resources/revision.ts'
import { changeRoute, deleteRoute, readRoute } from '../../resources/revision-routes.ts'
import { DOCUMENT_BYTES, Empty, memberRoute, type Route } from '../../http/route.ts'
import { allDrafts, type DraftRow } from '../drafts/repository.ts'
import { atDraft } from '../drafts/view.ts'
import { type InProject, inProject } from '../projects/project-scope.ts'
import { atBothPaths } from '../projects/routes.ts'
import {
  Case,
  CaseRequest,
  ImportRequest,
  NoSettings,
  ProjectRun,
  RunRequest,
  SuiteOrCase,
  SuiteRequest,
  TestRun,
  TestSuite,
} from './model.ts'
import { tellOfFailures } from './failed-runs.ts'
import { runAnswer, runProject, runSuites } from './runs.ts'
import { suiteFile, suiteFileReaders } from './suite-file.ts'
import {
  addCase,
  changeCase,
  type SuiteChanges,
  changeSuite,
  createSuite,
  deleteCase,
  deleteSuite,
  replaceSuites,
  suiteBy,
  suiteOf,
  suitesOf,
  suitesOn,
  suiteTexts,
} from './suites.ts'
import { traceRoute } from './trace-route.ts'

export interface ExecutionParts {
  readonly database: Database
  readonly basePath: string
  readonly compute: Compute
}

const group = 'Tests'
const SORTS = ['name', 'created_at', 'updated_at'] as const
const PROJECT = '/api/v1/orgs/:oid/projects/:pid'
const ALL = `${PROJECT}/rulesets/:name/tests`
const ONE = `${ALL}/:sid`

/** Routes that execute rulesets on the platform: try-runs and test suites. */
export function executionRoutes(parts: ExecutionParts): readonly Route[] {
  return atBothPaths([
    traceRoute(parts.database, parts.compute),
    ...suiteRoutes(parts),
    ...caseRoutes(parts),
    ...runRoutes(parts),
    ...fileRoutes(parts),
  ])
}

type Params = Readonly<Record<string, string>>

/** The ruleset in the request path. */
const find = (place: InProject, params: Params) => atDraft(place, params)
/** The suite in the request path. */
const findSuite = async (place: InProject, params: Params) => {
  const draft = await atDraft(place, params)
  return { draft, suite: await suiteBy(place.member.scope, draft.id, params['sid'] ?? '') }
}

const changesOf =
  (database: Database) =>
  (asked: ActingRequest<InProject>, { id: draftId }: DraftRow): SuiteChanges => ({
    acting: actingIn(database, asked),
    draftId,
  })

const suitePath =
  (basePath: string) =>
  ({ project }: InProject, name: string, suite: string) =>
    `${basePath}/api/v1/orgs/${project.org_id}/projects/${project.id}/rulesets/${encodeURIComponent(name)}/tests/${suite}`

function suiteRoutes({ database, basePath }: ExecutionParts): readonly Route[] {
  const within = inProject(database)
  const changes = changesOf(database)
  const pathOf = suitePath(basePath)
  const common = { path: ONE, group, within, find: findSuite }
  return [
    memberRoute({
      method: 'GET',
      path: ALL,
      right: 'member',
      summary: 'List test suites of a ruleset',
      group,
      within,
      find,
      query: listQuery(SORTS),
      answers: { 200: ListOf(TestSuite, 'TestSuiteList') },
      async handle({ place, found, query }) {
        const { rows, page } = await suitesOn(place.member.scope, found.id, pageOf(query, SORTS))
        return json(
          200,
          listed(rows, page, (row) => row[page.sort], suiteOf),
        )
      },
    }),
    memberRoute({
      method: 'POST',
      path: ALL,
      right: 'ruleset.edit',
      summary: 'Create a test suite, or a case in the suite `default`',
      group,
      within,
      find,
      maxBodyBytes: DOCUMENT_BYTES,
      body: SuiteOrCase,
      keepsDigits: true,
      answers: { 201: Type.Union([TestSuite, Case]) },
      answerHeaders: { 201: { ...LOCATION, ...ETAG } },
      hasConflicts: true,
      async handle(asked) {
        const { place, body, found } = asked
        const { name, cases, expect, ...rest } = body
        if ((cases === undefined) === (expect === undefined))
          throw failures.invalid('', 'has either `cases`, for a suite, or `expect`, for one case')
        if (expect !== undefined) {
          const { suite, made } = await addCase(changes(asked, found), undefined, { name, ...rest, expect })
          return created(made, `${pathOf(place, found.name, suite)}/cases/${made.id}`)
        }
        if (Object.keys(rest).length > 0) throw failures.invalid('', 'is a suite: inputs belong into its `cases`')
        const suite = await createSuite(changes(asked, found), { name, cases: cases ?? [] })
        return created(suite, pathOf(place, found.name, suite.id))
      },
    }),
    readRoute({ ...common, summary: 'A test suite', answer: TestSuite, current: ({ found }) => suiteOf(found.suite) }),
    changeRoute({
      ...common,
      right: 'ruleset.edit',
      summary: 'Replace a test suite',
      maxBodyBytes: DOCUMENT_BYTES,
      keepsDigits: true,
      body: SuiteRequest,
      answer: TestSuite,
      current: ({ found }) => found.suite,
      change: (asked) => changeSuite(changes(asked, asked.found.draft), asked.found.suite.id, asked.body, asked.rev),
    }),
    deleteRoute({
      ...common,
      right: 'ruleset.edit',
      summary: 'Delete a test suite',
      current: ({ found }) => found.suite,
      remove: (asked) => deleteSuite(changes(asked, asked.found.draft), asked.found.suite.id, asked.rev),
    }),
  ]
}

function caseRoutes({ database, basePath }: ExecutionParts): readonly Route[] {
  const within = inProject(database)
  const pathOf = suitePath(basePath)
  const changes = changesOf(database)
  return [
    memberRoute({
      method: 'POST',
      path: `${ONE}/cases`,
      right: 'ruleset.edit',
      summary: 'Add a case to a test suite',
      group,
      within,
      find: findSuite,
      maxBodyBytes: DOCUMENT_BYTES,
      body: CaseRequest,
      keepsDigits: true,
      answers: { 201: Case },
      answerHeaders: { 201: LOCATION },
      async handle(asked) {
        const { draft, suite } = asked.found
        const { made } = await addCase(changes(asked, draft), suite.id, asked.body)
        return created(made, `${pathOf(asked.place, draft.name, suite.id)}/cases/${made.id}`)
      },
    }),
    memberRoute({
      method: 'PUT',
      path: `${ONE}/cases/:cid`,
      right: 'ruleset.edit',
      summary: 'Replace a case',
      group,
      within,
      find: findSuite,
      maxBodyBytes: DOCUMENT_BYTES,
      body: CaseRequest,
      keepsDigits: true,
      answers: { 200: Case },
      async handle(asked) {
        const { found, body, params } = asked
        return json(200, await changeCase(changes(asked, found.draft), found.suite.id, params['cid'] ?? '', body))
      },
    }),
    memberRoute({
      method: 'DELETE',
      path: `${ONE}/cases/:cid`,
      right: 'ruleset.edit',
      summary: 'Delete a case',
      group,
      within,
      find: findSuite,
      answers: { 204: Empty },
      async handle(asked) {
        const { found, params } = asked
        await deleteCase(changes(asked, found.draft), found.suite.id, params['cid'] ?? '')
        return { status: 204 }
      },
    }),
  ]
}

function runRoutes({ database, compute }: ExecutionParts): readonly Route[] {
  const within = inProject(database)
  const common = {
    method: 'POST',
    right: 'test.run',
    group,
    within,
    isBodyOptional: true,
    otherAnswers: { 'application/xml': Type.String(), 'text/x-tap': Type.String() },
  } as const
  const runOf = ({ member, project }: InProject) => ({ scope: member.scope, project: project.id, compute })
  return [
    memberRoute({
      ...common,
      path: `${ALL}/run`,
      summary: 'Run all test suites of a ruleset; JUnit with `accept: application/xml`, TAP with `text/x-tap`',
      find,
      body: RunRequest,
      answers: { 200: TestRun },
      async handle({ place, caller, found, body, raw }) {
        const { id, name } = found
        const run = await runSuites(runOf(place), found, body, await suitesOf(place.member.scope, [id]))
        await tellOfFailures(database, { caller, place, ref: { type: 'draft', id }, name }, run)
        return runAnswer(raw, run, name)
      },
    }),
    memberRoute({
      ...common,
      path: `${ONE}/run`,
      summary: 'Run one test suite',
      find: findSuite,
      body: RunRequest,
      answers: { 200: TestRun },
      async handle({ place, caller, found: { draft, suite }, body, raw }) {
        const { name } = draft
        const run = await runSuites(runOf(place), draft, body, [suite])
        await tellOfFailures(database, { caller, place, ref: { type: 'suite', id: suite.id }, name }, run)
        return runAnswer(raw, run, name)
      },
    }),
    memberRoute({
      ...common,
      path: `${PROJECT}/tests/run`,
      summary: 'Run all test suites of a project',
      body: NoSettings,
      answers: { 200: ProjectRun },
      async handle({ place, caller, raw }) {
        const { member, project } = place
        const drafts = await allDrafts(member.scope, project.id)
        const suites = await suitesOf(
          member.scope,
          drafts.map(({ id }) => id),
        )
        const byDraft = Map.groupBy(suites, ({ draft_id }) => draft_id)
        const rulesets = drafts.flatMap((row) => {
          const own = byDraft.get(row.id)
          return own === undefined ? [] : [{ row, suites: own }]
        })
        const { id, name } = project
        const run = await runProject(runOf(place), rulesets)
        await tellOfFailures(database, { caller, place, ref: { type: 'project', id }, name }, run)
        return runAnswer(raw, run, name)
      },
    }),
  ]
}

function fileRoutes({ database, compute }: ExecutionParts): readonly Route[] {
  const within = inProject(database)
  const changes = changesOf(database)
  return [
    memberRoute({
      method: 'GET',
      path: `${ALL}/export`,
      right: 'member',
      summary: 'Export the test suites of a ruleset as one file',
      group,
      within,
      find,
      query: { format: Type.Union([Type.Literal('yaml'), Type.Literal('csv')], { description: 'default: `yaml`' }) },
      produces: 'application/yaml',
      answers: { 200: Type.String() },
      otherAnswers: { 'text/csv': Type.String() },
      async handle({ place, found, query }) {
        const format = query.get('format') ?? 'yaml'
        if (format !== 'yaml' && format !== 'csv') throw invalidParameter('format', 'must be `yaml` or `csv`')
        return suiteFile(compute, found.name, await suiteTexts(place.member.scope, [found.id]), format)
      },
    }),
    memberRoute({
      method: 'POST',
      path: `${ALL}/import`,
      right: 'ruleset.edit',
      summary: 'Import cases, replacing those of the suites that they name',
      group,
      within,
      find,
      maxBodyBytes: DOCUMENT_BYTES,
      body: ImportRequest,
      keepsDigits: true,
      reads: suiteFileReaders(compute),
      bodyExamples: {
        'application/yaml': 'cases:\n  - {suite: default, name: of age, input: {age: 20}, expect: {code: ADULT}}\n',
        'text/csv': 'suite,name,input,expect\ndefault,of age,"{""age"": 20}","{""code"": ""ADULT""}"\n',
      },
      answers: { 200: Type.Object({ suites: Type.Array(TestSuite) }, { title: 'ImportedSuites' }) },
      async handle(asked) {
        const { found, body } = asked
        if (body.ruleset !== undefined && body.ruleset !== found.name)
          throw failures.invalid('/ruleset', `is \`${body.ruleset}\`, and the path names \`${found.name}\``)
        const { cases, faults } = decodeCases(body.cases as unknown as Value)
        if (faults.length > 0) {
          const details = faults.map(({ path, message }) => ({ path: `/cases${path}`, message, code: 'bad-case' }))
          throw new HttpError('invalid-request', `\`${details[0]?.path}\` ${details[0]?.message}`, { details })
        }
        return json(200, { suites: await replaceSuites(changes(asked, found), cases) })
      },
    }),
  ]
}
