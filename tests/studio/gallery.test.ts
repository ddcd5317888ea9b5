import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveGallery } from '../../apps/studio/build/gallery.ts'
import { RULES_OF_THEMES, violations } from './axe.testing.ts'
import { CHROMIUM, sharedBrowser } from './chromium.testing.ts'

const UI = join(import.meta.dirname, '../../apps/studio/src/ui')

/** The components that the files of `ui/` export; those of `overlays.tsx` are loaded and shown by others. */
const components = globSync('*.tsx', { cwd: UI, exclude: ['overlays.tsx'] }).flatMap((file) =>
  Array.from(
    readFileSync(join(UI, file), 'utf8').matchAll(/^export (?:function|const) ([A-Z]\w*[a-z]\w*)/gm),
    ([, name = '']) => name,
  ),
)

describe.skipIf(CHROMIUM === undefined)('the gallery', () => {
  let context: BrowserContext
  let page: Page
  let gallery: Awaited<ReturnType<typeof serveGallery>>
  const errors: string[] = []
  beforeAll(async () => {
    gallery = await serveGallery()
    context = await (
      await sharedBrowser()
    ).newContext({
      viewport: { width: 1440, height: 900 },
      colorScheme: 'light',
      reducedMotion: 'reduce',
    })
    page = await context.newPage()
    page.setDefaultTimeout(120_000)
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    await page.goto(gallery.url)
    await page.getByRole('heading', { name: 'Components', exact: true }).waitFor()
  })
  afterAll(async () => {
    await context?.close()
    await gallery?.close()
  })

  test('shows every component', async () => {
    const samples = await page.locator('[data-components]').all()
    const shown = await Promise.all(samples.map((sample) => sample.getAttribute('data-components')))
    expect(components.length).toBeGreaterThan(15)
    // The page itself is one.
    expect(new Set([...shown.join(' ').split(' ').filter(Boolean), 'Page'])).toEqual(new Set(components))
  })

  test('draws 2,000 points with as many elements as few: one for each line, band or code', async () => {
    const elementsOf = async (title: string) =>
      (await page.getByRole('region', { name: title }).locator('.chart-drawing > svg').all()).map((chart) =>
        chart.locator('*').count(),
      )
    for (const title of ['Lines over time', 'Result codes over time', 'A difference with its range']) {
      const counts = await Promise.all(await elementsOf(title))
      expect(counts, title).toHaveLength(2)
      expect(Math.max(...counts), title).toBeLessThan(40)
    }
    const line = page.getByRole('img', { name: /Decisions of an hour .* 2000 points/ })
    expect((await line.locator('path.line').first().getAttribute('d'))?.match(/L/g)).toHaveLength(1999)
  })

  test('reads the values of a chart by arrow keys, and lists them as a table', async () => {
    const sample = page.getByRole('region', { name: 'How much a change changes' })
    await sample.getByRole('img').focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => sample.locator('output').textContent()).toBe('−1.5: 164')
    await page.keyboard.press('End')
    await expect.poll(() => sample.locator('output').textContent()).toBe('+2: 24')
    await sample.getByText('Show as table').press('Enter')
    await sample.getByRole('row', { name: '−1.5 164' }).waitFor()
  })

  test('passes axe in both themes, with a refused and a sending form', async () => {
    await page.getByRole('button', { name: 'Save and fail' }).click()
    await page.getByText('`1a` begins with a digit').waitFor()
    await page.getByRole('button', { name: 'Save slowly' }).click()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Dark', exact: true }).click()
    await page.locator('html[data-theme=dark]').waitFor()
    expect(await violations(page, RULES_OF_THEMES)).toEqual([])
    await page.getByRole('button', { name: 'Light', exact: true }).click()
  })

  test.each(['Open a dialog', 'Open a wide dialog', 'Open a form', 'Open a confirmation'])(
    '%s passes axe, and Escape returns the focus',
    async (name) => {
      const button = page.getByRole('button', { name, exact: true })
      await button.click()
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      // Buttons that dismiss the dialog for screen readers belong to no landmark.
      expect(await violations(page, undefined, ['region'])).toEqual([])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await expect.poll(() => page.locator('button:focus').textContent()).toBe(name)
    },
  )

  test.each(['Open a menu', 'Open a popover'])(
    '%s passes axe, arrow keys open menus, and Escape returns the focus',
    async (name) => {
      const button = page.getByRole('button', { name, exact: true })
      await button.focus()
      await page.keyboard.press(name === 'Open a menu' ? 'ArrowDown' : 'Enter')
      await page.getByRole(name === 'Open a menu' ? 'menu' : 'dialog').waitFor()
      // Everything but the overlay is hidden while it is open.
      const hidden = ['region', 'landmark-one-main', 'page-has-heading-one']
      expect(await violations(page, undefined, hidden)).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole(name === 'Open a menu' ? 'menu' : 'dialog').waitFor({ state: 'detached' })
      await expect.poll(() => page.locator('button:focus').textContent()).toBe(name)
    },
  )

  test('logs no error', () => expect(errors).toEqual([]))
})
