import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { CHROMIUM, newProject, useStudio } from './browser.testing.ts'

const FOLDER = join(import.meta.dirname, '../../docs/platform/studio')
/** The pictures of docs/platform/studio.md are made anew on demand: they would differ a little from machine to machine. */
const IS_WANTED = process.env['STUDIO_SCREENSHOTS'] !== undefined && CHROMIUM !== undefined

describe.skipIf(!IS_WANTED)('pictures of the documentation', () => {
  const studio = useStudio()

  test('of the editor in both themes, and of a release', async () => {
    mkdirSync(FOLDER, { recursive: true })
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    const draw = (name: string) => page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' })
    await page.goto(`${project.url}/releases/new`)
    await page.getByLabel('Title').fill('Coupons for the summer')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Ask for this release' }).waitFor()
    await draw('release')
    await page.setViewportSize({ width: 1680, height: 960 })
    for (const view of ['flow', 'table']) {
      await page.goto(`${project.url}/rulesets/ecommerce_coupon?view=${view}`)
      await page.getByText('11/11 tests').waitFor()
      await page.keyboard.press('Control+Enter')
      await page.getByRole('region', { name: 'Way through the rules' }).getByText('GRANTED').first().waitFor()
      await draw(view)
      await page.emulateMedia({ colorScheme: 'dark' })
    }
  })
})
