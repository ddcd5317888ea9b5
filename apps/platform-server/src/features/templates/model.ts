import { type Static, Type } from 'typebox'
import { ArchiveFile } from '../archives/model.ts'
import { Description, Name } from '../organizations/model.ts'

const summary = {
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  rulesets: Type.Array(Type.Object({ name: Type.String(), description: Type.String() })),
  contains: Type.Object({
    facts: Type.Integer(),
    concepts: Type.Integer(),
    contracts: Type.Integer(),
    sub_rules: Type.Integer(),
    cases: Type.Integer({ description: 'of all test suites' }),
    samples: Type.Integer({ description: 'inputs to try the rulesets with' }),
  }),
}

/** A template in the list, with counts of its contents. */
export const TemplateItem = Type.Object(summary, { title: 'TemplateItem' })
export type TemplateItem = Static<typeof TemplateItem>

/** A template with all files of the project that it creates. */
export const Template = Type.Object(
  { ...summary, files: Type.Array(ArchiveFile, { description: 'of the project that it makes' }) },
  { title: 'Template' },
)

/** Creates a project from a template. */
export const FromTemplate = Type.Object(
  {
    template_id: Type.String({ maxLength: 200 }),
    project_name: Name,
    project_description: Type.Optional(Description),
  },
  { title: 'FromTemplate', examples: [{ template_id: 'loan-approval', project_name: 'Loans' }] },
)
