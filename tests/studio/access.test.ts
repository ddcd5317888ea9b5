import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { CHROMIUM, newProject, useStudio } from './browser.testing.ts'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What axe finds on a page, as rule and element. */
async function violations(page: Page): Promise<readonly string[]> {
  const { violations: found } = await new AxeBuilder({ page }).withTags(TAGS).analyze()
  return found.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 160)}`))
}

describe.skipIf(CHROMIUM === undefined)('every page', () => {
  const studio = useStudio()

  test('has nothing that axe objects to', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    const organization = `${studio.platform().publicUrl}/o/${project.team.id}`
    for (const address of [
      `${studio.platform().publicUrl}/organizations`,
      organization,
      ...['inbox', 'members', 'roles', 'keys', 'engines', 'audit', 'settings'].map((one) => `${organization}/${one}`),
      ...[
        'rulesets',
        'tests',
        'facts',
        'concepts',
        'contracts',
        'contracts/ecommerce_coupon',
        'integrate',
        'settings',
      ].map((one) => `${project.url}/${one}`),
      `${project.url}/rulesets/ecommerce_coupon/history`,
      `${project.url}/nowhere`,
    ]) {
      await page.goto(address)
      await page.locator('h1, .state h2').first().waitFor()
      await page.locator('.skeleton').first().waitFor({ state: 'detached' })
      expect(await violations(page), address).toEqual([])
    }
    for (const view of ['flow', 'table', 'text']) {
      await page.goto(`${project.url}/rulesets/ecommerce_coupon?view=${view}`)
      await page.getByText('11/11 tests').waitFor()
      await page.keyboard.press('Control+Enter')
      await page.getByRole('region', { name: 'Way through the rules' }).getByText('GRANTED').first().waitFor()
      expect(await violations(page), view).toEqual([])
      await page.emulateMedia({ colorScheme: 'dark' })
      // The media query tells its listeners after it is emulated: until then the colours are those of the other theme.
      await page.locator('html[data-theme=dark]').waitFor()
      expect(await violations(page), `${view}, dark`).toEqual([])
      await page.emulateMedia({ colorScheme: 'light' })
      await page.locator('html[data-theme=light]').waitFor()
    }
  })

  test('has nothing that axe objects to where two saves are beside each other', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    for (const [view, part] of [
      ['flow', '.nd'],
      ['table', '.gc'],
    ] as const) {
      await page.goto(`${project.url}/rulesets/ecommerce_coupon/compare?view=${view}`)
      await page.locator(part).first().waitFor()
      expect(await violations(page), view).toEqual([])
    }
  })

  test('speaks Chinese: no text of another language is left in the frame', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner, { locale: 'zh-CN' })
    await page.goto(`${project.url}/rulesets`)
    await page.getByRole('heading', { name: '规则集' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN')
    const words = await page.getByRole('navigation', { name: '主导航' }).innerText()
    expect(words.replaceAll(/Shop|Acme|API|\bA\b/g, '')).not.toMatch(/[A-Za-z]{2}/)
  })
})
