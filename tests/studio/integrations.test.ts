import { describe, expect, test } from 'vitest'
import { CHROMIUM, newProject, useStudio } from './browser.testing.ts'

describe.skipIf(CHROMIUM === undefined)('the pages of integrations', () => {
  const studio = useStudio()

  test('make a webhook, show its secret once, and show that its test message failed', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/integrate`)
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('button', { name: 'New webhook' }).click()
    const box = page.getByRole('dialog')
    await box.getByLabel('Address').fill('https://hooks.invalid/releases')
    await box.getByLabel('Format').selectOption('Slack')
    await box.getByRole('button', { name: 'New webhook' }).click()
    const secret = await box.getByRole('region', { name: 'The secret of the webhook' }).innerText()
    expect(secret.length).toBeGreaterThan(20)
    await page.keyboard.press('Escape')
    await page.getByRole('row', { name: /hooks\.invalid.*Everything.*Slack.*on/ }).waitFor()
    await page.getByRole('button', { name: 'Messages' }).click()
    await page.getByText('No message yet').waitFor()
    await page.getByRole('button', { name: 'Send a test message' }).click()
    await page
      .getByRole('dialog')
      .getByRole('row', { name: /Test message.*not accepted|Test message.*no answer/ })
      .waitFor()
    const { body } = await project.team.owner.request('GET', `${project.path}/webhooks`)
    expect(body.items).toMatchObject([{ url: 'https://hooks.invalid/releases', events: ['*'], format: 'slack' }])
  })

  test('set a signing key, show its public half, and stop signing', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/signing`)
    await page.getByRole('button', { name: 'Set a key' }).click()
    const box = page.getByRole('dialog')
    await box.getByLabel('Private key').fill('short')
    await box.getByRole('button', { name: 'Set a key' }).click()
    await box
      .getByText(/not base64|bytes long/)
      .last()
      .waitFor()
    await box.getByLabel('Private key').fill(Buffer.alloc(32, 7).toString('base64'))
    await box.getByRole('button', { name: 'Set a key' }).click()
    const shown = await page.getByRole('region', { name: 'Public key', exact: true }).innerText()
    const { body } = await project.team.owner.request('GET', `${project.path}/signing-key`)
    expect(shown.trim()).toBe(body.public_key)
    await page.getByRole('button', { name: 'Stop signing' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop signing' }).click()
    await page.getByText('Rulesets are not signed').waitFor()
  })

  test('tell the audit in sentences, narrowed by what it is about', async () => {
    const project = await newProject(studio.platform())
    const { team } = project
    await team.owner.request('POST', `${team.path}/roles`, { name: 'Clerk', permissions: ['project.read'] })
    const page = await studio.open(team.owner)
    await page.goto(`${studio.platform().publicUrl}/o/${team.id}/audit`)
    await page.getByRole('row', { name: /created the role Clerk/ }).waitFor()
    await page.getByLabel('About').selectOption('role')
    await page.getByRole('row', { name: /made the ruleset/ }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Before and after' }).click()
    await page
      .getByRole('dialog')
      .getByRole('row', { name: /permissions.*project\.read/ })
      .waitFor()
  })
})
