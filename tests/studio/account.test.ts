import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CHROMIUM, newProject, PASSWORD, useStudio } from './browser.testing.ts'

describe.skipIf(CHROMIUM === undefined)('the account', () => {
  const studio = useStudio()

  test('is renamed, gets another password, and ends its other sessions', async () => {
    const { team } = await newProject(studio.platform())
    const page = await studio.open(team.owner)
    await page.goto(`${studio.platform().publicUrl}/o/${team.id}/account`)
    await page.getByLabel('Name', { exact: true }).fill('Ana Keller')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menu').waitFor()
    await page.getByText('Ana Keller').first().waitFor()
    await page.keyboard.press('Escape')

    const next = `${PASSWORD} and more`
    await page.getByLabel('Current password').fill('not this one')
    await page.getByLabel('New password').fill(next)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('the current password is wrong').waitFor()
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Your password was changed.').waitFor()

    const email = (await team.owner.request('GET', '/api/v1/me')).body.user?.email
    expect(email, 'the other session has ended').toBeUndefined()
    await page.getByRole('row').filter({ hasText: 'this browser' }).getByText('Chrome').waitFor()
  })

  test('whose password is forgotten gets a link that sets another one', async () => {
    const { team } = await newProject(studio.platform())
    const { email, id } = (await team.owner.request('GET', '/api/v1/me')).body.user
    const page = await studio.openStranger()
    await page.goto(`${studio.platform().publicUrl}/sign-in`)
    await page.getByRole('button', { name: 'Forgot password?' }).click()
    await page.getByLabel('E-mail').fill(email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByText(`If ${email} has an account, a link is on its way.`).waitFor()
    // No mail server is configured: the platform stores the link in a file.
    const file = join(studio.platform().dataDir, 'reset-links', `${id}.url`)
    await expect.poll(() => existsSync(file) || readdirSync(studio.platform().dataDir)).toBe(true)
    await page.goto(readFileSync(file, 'utf8').trim())
    await page.getByLabel('New password').fill('another password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: /^Good / }).waitFor()

    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.getByLabel('E-mail').inputValue(), 'the address is known').toBe(email)
  })

  test('finds documentation and version in its menu', async () => {
    const { team, url } = await newProject(studio.platform())
    const page = await studio.open(team.owner)
    await page.goto(`${url}/facts`)
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: /^Documentation version \d+\.\d+\.\d+$/ }).waitFor()
  })

  test('searches with keys that were typed before the search was on the screen', async () => {
    const { team, url } = await newProject(studio.platform())
    const page = await studio.open(team.owner)
    await page.goto(`${url}/facts`)
    await page.getByRole('cell', { name: 'cart_amount' }).first().waitFor()
    // All in one task: no frame is drawn between the keys.
    await page.evaluate(`(() => {
      const press = (key, more = {}) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }))
      press('k', { ctrlKey: true })
      for (const key of 'tests') press(key)
      press('Enter')
    })()`)
    const field = page.getByRole('combobox')
    await expect.poll(() => field.inputValue()).toBe('tests')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Tests' }).waitFor()
  })
})
