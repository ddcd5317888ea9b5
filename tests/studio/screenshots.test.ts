import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { CHROMIUM, newProject, useStudio } from './browser.testing.ts'

const FOLDER = join(import.meta.dirname, '../../docs/platform/studio')
/** The pictures of docs/platform/studio.md are made anew on demand: they would differ a little from machine to machine. */
const IS_WANTED = process.env['STUDIO_SCREENSHOTS'] !== undefined && CHROMIUM !== undefined

describe.skipIf(!IS_WANTED)('pictures of the documentation', () => {
  const studio = useStudio()

  test.each(['light', 'dark'] as const)('in %s', async (colorScheme) => {
    mkdirSync(FOLDER, { recursive: true })
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner, { colorScheme })
    await page.setViewportSize({ width: 1680, height: 960 })
    for (const view of ['flow', 'table']) {
      await page.goto(`${project.url}/rulesets/ecommerce_coupon?view=${view}`)
      await page.getByText('11/11 tests').waitFor()
      await page.keyboard.press('Control+Enter')
      await page.getByRole('region', { name: 'Way through the rules' }).getByText('GRANTED').first().waitFor()
      await page.screenshot({ path: join(FOLDER, `${view}-${colorScheme}.png`), animations: 'disabled' })
    }
    await page.goto(`${project.url}/releases/new`)
    await page.getByLabel('Title').fill('Coupons for the summer')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Ask for this release' }).waitFor()
    await page.screenshot({ path: join(FOLDER, `release-${colorScheme}.png`), animations: 'disabled' })
  })
})
