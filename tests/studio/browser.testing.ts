import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { useDatabase } from '../platform/databases.testing.ts'
import { PASSWORD, startPlatform, type TestPlatform } from '../platform/platform.testing.ts'
import { newTeam, type Team, type TestPerson } from '../platform/team.testing.ts'
import { buildOnce } from './build.testing.ts'
import { CHROMIUM, sharedBrowser } from './chromium.testing.ts'

/** A platform with the built studio, and a browser. */
export interface StudioWorld {
  readonly platform: () => TestPlatform
  /** A page in a separate browser, signed in. Errors of its console and of its policy fail the test that ends next. */
  open(
    person: TestPerson,
    options?: {
      readonly locale?: string
      readonly colorScheme?: 'light' | 'dark'
      /** 390 pixels wide, with a touch screen. */
      readonly isPhone?: boolean
      /** Address of a proxy on the way to the platform. */
      readonly proxy?: string
      /** Errors of the console that the test causes. */
      readonly expectedError?: RegExp
    },
  ): Promise<Page>
  /** A page without a session. */
  openStranger(): Promise<Page>
}

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

/** Milliseconds after which a wait fails: it only ends a test that hangs. */
const MAX_INTERVAL_MS = 120_000

/**
 * Chromium logs one of these about CodeMirror when all text of an editor is replaced: the second where it begins with a
 * coloured word.
 */
const HARMLESS = /style-src-attr|Applying inline style|status of 4\d\d/

/** A page without a connection to the platform logs this for each request. */
const HARMLESS_IF_CUT = /style-src-attr|Applying inline style|status of 4\d\d|net::ERR_/

/** Errors of pages are errors of the test that opened them. */
const expectNone = (found: readonly string[]) => expect(found).toEqual([])

export function useStudio(): StudioWorld {
  const database = useDatabase('postgres')
  let platform: TestPlatform
  let browser: Browser
  const contexts: BrowserContext[] = []
  const found: string[] = []
  beforeAll(async () => {
    await buildOnce()
    const limit = ['--request-timeout-secs', String(MAX_INTERVAL_MS / 1000)]
    platform = await startPlatform(database(), ['--heartbeat-interval-secs', '1', ...limit])
    browser = await sharedBrowser()
  })
  afterEach(async () => {
    // Pages that stay open would keep polling.
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    expectNone(found.splice(0))
  })
  afterAll(() => platform?.stop())
  const openPage = async (options: Parameters<Browser['newContext']>[0], harmless = HARMLESS) => {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      locale: 'en-GB',
      reducedMotion: 'reduce',
      // Browsers without windows do not grant it to the page that is clicked.
      permissions: ['clipboard-write'],
      ...options,
    })
    contexts.push(context)
    const page = await context.newPage()
    page.setDefaultTimeout(MAX_INTERVAL_MS)
    page.on('pageerror', (error) => found.push(error.message))
    page.on('console', (message) => {
      // Browsers request the icon again at each new address, also without network.
      const isIcon = message.location().url.endsWith('/icon.svg')
      if (message.type() === 'error' && !isIcon && !harmless.test(message.text())) found.push(message.text())
    })
    return page
  }
  return {
    platform: () => platform,
    async open(person, { proxy, isPhone = false, expectedError, ...more } = {}) {
      const options = isPhone ? { ...PHONE, ...more } : more
      // Without this setting a browser connects to its own machine directly.
      const way = proxy === undefined ? {} : { proxy: { server: proxy, bypass: '<-loopback>' } }
      const page = await openPage(
        { ...options, ...way },
        expectedError ?? (proxy === undefined ? HARMLESS : HARMLESS_IF_CUT),
      )
      const cookies = Array.from(person.cookies, ([name, value]) => ({ name, value, url: platform.publicUrl }))
      await page.context().addCookies(cookies)
      return page
    },
    openStranger: () => openPage({}),
  }
}

/** A project created from a template, with the paths of its pages. */
export interface StudioProject {
  readonly team: Team
  readonly id: string
  /** Address of its pages. */
  readonly url: string
  /** Path of the API. */
  readonly path: string
}

export async function newProject(platform: TestPlatform, template = 'ecommerce-coupon'): Promise<StudioProject> {
  const team = await newTeam(platform)
  const { status, body } = await team.owner.request('POST', `${team.path}/projects/from-template`, {
    template_id: template,
    project_name: 'Shop',
  })
  expect(status).toBe(201)
  return {
    team,
    id: body.id,
    url: `${platform.publicUrl}/o/${team.id}/p/${body.id}`,
    path: `${team.path}/projects/${body.id}`,
  }
}

export { CHROMIUM, PASSWORD }
