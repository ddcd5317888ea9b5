import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** The rules whose result depends on the theme: everything else of a page is the same in both. */
export const RULES_OF_THEMES = ['color-contrast']

/** The violations that axe finds on a page, as rule and element. */
export async function violations(
  page: Page,
  rules?: readonly string[],
  without: readonly string[] = [],
): Promise<readonly string[]> {
  // Legacy mode runs in this frame only: pages have no others, and a second page for the result costs as much as the run.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] })
  const { violations: found } = await (
    rules === undefined ? axe.withTags(TAGS).disableRules([...without]) : axe.withRules([...rules])
  ).analyze()
  return found.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 160)}`))
}
