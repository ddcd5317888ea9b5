import axe, { type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** The rules whose result depends on the theme: everything else of a page is the same in both. */
export const RULES_OF_THEMES = ['color-contrast']

/** The violations that axe finds on a page, as rule and element. */
export async function violations(
  page: Page,
  rules?: readonly string[],
  without: readonly string[] = [],
): Promise<readonly string[]> {
  const options: RunOptions = {
    runOnly: rules === undefined ? { type: 'tag', values: TAGS } : { type: 'rule', values: [...rules] },
    rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
    resultTypes: ['violations'],
    // Pages have no frames, and a violation is reported as its element.
    iframes: false,
    selectors: false,
  }
  // A document keeps axe: to load it again costs more than most of its runs.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
  return page.evaluate(foundIn, options)
}

/** Runs in the page: all results of a run are a megabyte. */
async function foundIn(options: RunOptions): Promise<string[]> {
  const { violations: found } = await (globalThis as unknown as { readonly axe: typeof axe }).axe.run(options)
  return found.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 160)}`))
}

/** The current page in the theme that it has: enough where the same page passes in both at another width. */
export async function expectAccessInOneTheme(page: Page, name: string, without?: readonly string[]): Promise<void> {
  // The page before may still be there when its address is not: between it and the next one there is no heading.
  const settling = { message: name, interval: 500, timeout: 20_000 }
  await expect.poll(() => violations(page, undefined, without), settling).toEqual([])
}

/** The current page in both themes. */
export async function expectAccess(page: Page, name: string, without?: readonly string[]): Promise<void> {
  await expectAccessInOneTheme(page, name, without)
  await page.emulateMedia({ colorScheme: 'dark' })
  // Listeners of the media query run after it is emulated: until then the colours are those of the other theme.
  await page.locator('html[data-theme=dark]').waitFor()
  expect(await violations(page, RULES_OF_THEMES), `${name}, dark`).toEqual([])
  await page.emulateMedia({ colorScheme: 'light' })
  await page.locator('html[data-theme=light]').waitFor()
}
