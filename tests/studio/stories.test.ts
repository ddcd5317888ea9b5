import { afterEach, describe, expect, test } from 'vitest'
import { CHROMIUM, PASSWORD, useStudio } from './browser.testing.ts'

describe.skipIf(CHROMIUM === undefined)('the studio', () => {
  const studio = useStudio()
  afterEach(() => expect(studio.complaints()).toEqual([]))

  test('leads from the printed link to a ruleset of a first project, and to a decision', async () => {
    const platform = studio.platform()
    const page = await studio.openStranger()
    await page.goto(platform.firstLink ?? '')
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'New organization' }).click()
    await page.getByLabel('Name').fill('Acme')
    await page.getByRole('dialog').getByRole('button', { name: 'New organization' }).click()
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('button', { name: /Coupons/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'New project' }).click()
    await page.getByRole('link', { name: 'ecommerce_coupon' }).click()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('region', { name: 'Way through the rules' }).getByText('GRANTED').first().waitFor()
    expect(new URL(page.url()).hash).toBe('')
  })
})
