import { json } from '../../http/json-response.ts'
import { inOrganization } from '../../access/membership.ts'
import type { Compute } from '../../compute/compute.ts'
import type { Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import { actingIn } from '../../resources/acting.ts'
import { created, LOCATION } from '../../resources/created-response.ts'
import { ListOf } from '../../resources/pagination.ts'
import { ETAG } from '../../resources/revision.ts'
import { callerRoute, memberRoute, type Route } from '../../http/route.ts'
import { importNew } from '../archives/import.ts'
import { nameOf } from '../identity/accounts.ts'
import { Project } from '../projects/model.ts'
import { FromTemplate, TemplateItem, Template as TemplateShape } from './model.ts'
import { type Template, Templates } from './templates.ts'

export interface TemplateParts {
  readonly database: Database
  readonly compute: Compute
  readonly basePath: string
}

const group = 'Projects'

/** Templates, and projects created from them. */
export function templateRoutes({ database, compute, basePath }: TemplateParts): readonly Route[] {
  const templates = new Templates()
  return [
    callerRoute({
      method: 'GET',
      path: '/api/v1/templates',
      right: 'any',
      summary: 'List project templates',
      group,
      answers: { 200: ListOf(TemplateItem, 'TemplateList') },
      async handle() {
        const items = (await templates.all()).map(itemOf)
        return json(200, { items, next_cursor: null })
      },
    }),
    callerRoute({
      method: 'GET',
      path: '/api/v1/templates/:id',
      right: 'any',
      summary: 'Get a project template with its files',
      group,
      answers: { 200: TemplateShape },
      async handle({ params: { id = '' } }) {
        const template = await templates.one(id)
        if (template === undefined) throw failures.notFound('template', id)
        return json(200, { ...itemOf(template), files: template.files })
      },
    }),
    memberRoute({
      method: 'POST',
      path: '/api/v1/orgs/:oid/projects/from-template',
      right: 'project.manage',
      summary: 'Create a project from a template',
      group,
      within: inOrganization(database),
      body: FromTemplate,
      answers: { 201: Project },
      answerHeaders: { 201: { ...LOCATION, ...ETAG } },
      hasConflicts: true,
      isIdempotent: true,
      async handle(asked) {
        const { place, body } = asked
        if (!place.member.reachesAll)
          throw failures.forbidden(
            'a key that is limited to projects or environments makes no projects',
            'project.manage',
          )
        const template = await templates.one(body.template_id)
        if (template === undefined) throw failures.invalid('/template_id', 'is not a template')
        const { archive } = template
        const { project } = await importNew({ acting: actingIn(database, asked), compute, isDry: false }, archive, {
          name: nameOf(body.project_name, '/project_name'),
          description: body.project_description ?? archive.project.description ?? '',
        })
        return created(project, `${basePath}/api/v1/orgs/${project.org_id}/projects/${project.id}`)
      },
    }),
  ]
}

function itemOf({ id, archive }: Template): TemplateItem {
  const { project, rulesets, facts, concepts, contracts, subRules, suites } = archive
  return {
    id,
    name: project.name,
    description: project.description ?? '',
    rulesets: rulesets.map(({ config }) => ({ name: config.name, description: config.description ?? '' })),
    contains: {
      facts: facts.length,
      concepts: concepts.length,
      contracts: contracts.length,
      sub_rules: subRules.length,
      cases: suites.reduce((sum, { cases }) => sum + cases.length, 0),
      samples: rulesets.reduce((sum, { samples = [] }) => sum + samples.length, 0),
    },
  }
}
