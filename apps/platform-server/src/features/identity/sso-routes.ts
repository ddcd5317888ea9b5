import { Type } from 'typebox'
import type { Cookies } from '../../http/cookies.ts'
import { Empty, openRoute, type Route } from '../../http/route.ts'
import { browserOf, sessionCookies } from './browser.ts'
import { CALLBACK_PATH, FLOW_SECONDS, type SingleSignOn } from './single-sign-on.ts'

const group = 'Identity'

/** Routes of single sign-on with OpenID Connect. */
export function singleSignOnRoutes(singleSignOn: SingleSignOn, cookies: Cookies): readonly Route[] {
  return [
    openRoute({
      method: 'GET',
      path: '/api/v1/auth/sso',
      right: 'none',
      summary: 'Start single sign-on',
      group,
      query: { return_to: Type.String({ description: 'path of the page to show afterwards; default: `/`' }) },
      answers: { 302: Empty },
      answerHeaders: { 302: { location: 'the page of the provider' } },
      async handle({ query }) {
        const { location, binding } = await singleSignOn.begin(query.get('return_to') ?? undefined)
        return { status: 302, headers: { location }, cookies: [cookies.write('sso', binding, FLOW_SECONDS)] }
      },
    }),
    openRoute({
      method: 'GET',
      path: CALLBACK_PATH,
      right: 'none',
      summary: 'Complete single sign-on (redirect URI)',
      group,
      query: 'any',
      answers: { 302: Empty },
      answerHeaders: { 302: { location: 'the requested page', 'set-cookie': 'the session' } },
      hasConflicts: true,
      async handle(asked) {
        const { raw, query } = asked
        const browser = browserOf(asked, asked.caller, cookies)
        const search = `?${query.toString()}`
        const { signedIn, returnTo } = await singleSignOn.complete(search, cookies.read(raw, 'sso'), browser)
        return {
          status: 302,
          headers: { location: returnTo },
          cookies: [...sessionCookies(signedIn, cookies), cookies.clear('sso')],
        }
      },
    }),
  ]
}
