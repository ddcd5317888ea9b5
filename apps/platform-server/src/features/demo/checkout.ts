import type { ProjectArchive } from '@engine/authoring'
import type { Template, Templates } from '../templates/templates.ts'

/** The templates of the demo's project; their names do not collide. */
const TEMPLATES = ['ecommerce-coupon', 'shipping', 'fraud-screening'] as const

/** One project with everything of these templates: coupons, delivery and payments of a shop. */
export async function checkoutArchive(templates: Templates): Promise<ProjectArchive> {
  const read = await Promise.all(TEMPLATES.map((id) => templates.one(id)))
  const archives = read.filter((one): one is Template => one !== undefined).map(({ archive }) => archive)
  const [first] = archives
  if (first === undefined) throw new Error('the templates of the demonstration are missing')
  return {
    project: {
      ...first.project,
      name: 'Shop checkout',
      description: 'Coupons, delivery and card payments of a shop',
    },
    rulesets: archives.flatMap(({ rulesets }) => rulesets),
    subRules: archives.flatMap(({ subRules }) => subRules),
    contracts: archives.flatMap(({ contracts }) => contracts),
    facts: archives.flatMap(({ facts }) => facts),
    concepts: archives.flatMap(({ concepts }) => concepts),
    suites: archives.flatMap(({ suites }) => suites),
  }
}
