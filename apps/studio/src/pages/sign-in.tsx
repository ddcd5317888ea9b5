import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { BASE, call } from '../api/client.ts'
import { useGet } from '../api/data.ts'
import { signedOut } from '../api/errors.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { Form } from '../ui/form.tsx'
import type { FormField } from '../ui/form-fields.ts'
import { useGo } from '../ui/link.tsx'
import { useTitle } from '../ui/page.tsx'

/** The token of a link, read once and then removed from the address and its history. */
function useLinkToken(): string | undefined {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined)
  if (location.hash !== '' && token !== undefined) history.replaceState(history.state, '', location.pathname)
  return token
}

/** Sign-in by a one-time link, by password, or by single sign-on. */
export function SignInPage() {
  const { signIn } = useTexts()
  const token = useLinkToken()
  return token === undefined ? (
    <Entry title={signIn.title}>
      <Password />
    </Entry>
  ) : (
    <Entry title={signIn.welcome} text={signIn.choosePassword}>
      <ByLink token={token} />
    </Entry>
  )
}

/** Accepts an invitation by mail or link: a new account gets its password. */
export function InvitationPage() {
  const { signIn } = useTexts()
  const token = useLinkToken()
  const enter = useEnter()
  if (token === undefined) return <Entry title={signIn.invitation} text={signIn.noToken} />
  const fields = [
    { name: 'display_name', label: signIn.name, isOptional: true, autoComplete: 'name' },
    {
      name: 'password',
      label: signIn.newPassword,
      hint: signIn.invitedHint,
      kind: 'password',
      isOptional: true,
      autoComplete: 'new-password',
    },
  ] as const satisfies readonly FormField[]
  return (
    <Entry title={signIn.invitation} text={signIn.invitationText}>
      <Form
        fields={fields}
        submit={signIn.accept}
        send={async ({ password, display_name }) => {
          const { org_id: org } = await call('post', '/api/v1/invitations/accept', {
            body: { token, ...(password !== '' && { password }), ...(display_name !== '' && { display_name }) },
          })
          enter(paths.organization(org))
        }}
      />
    </Entry>
  )
}

/** Enter with a new session: data fetched in an earlier one is fetched again. */
function useEnter(): (to?: string) => void {
  const client = useQueryClient()
  const go = useGo()
  return (to = paths.home()) => {
    client.clear()
    signedOut.tell(false)
    go(to, { replace: true })
  }
}

function ByLink({ token }: { readonly token: string }) {
  const { signIn } = useTexts()
  const enter = useEnter()
  const fields = [
    {
      name: 'password',
      label: signIn.newPassword,
      hint: signIn.passwordHint,
      kind: 'password',
      autoComplete: 'new-password',
    },
  ] as const satisfies readonly FormField[]
  return (
    <Form
      fields={fields}
      submit={signIn.submit}
      send={async (values) => {
        await call('post', '/api/v1/auth/token', { body: { token, password: values.password } })
        enter()
      }}
    />
  )
}

function Password() {
  const { signIn } = useTexts()
  const enter = useEnter()
  const options = useGet('/api/v1/auth/options', {}).data
  const fields = [
    { name: 'email', label: signIn.email, kind: 'email', autoComplete: 'username' },
    { name: 'password', label: signIn.password, kind: 'password', autoComplete: 'current-password' },
  ] as const satisfies readonly FormField[]
  return (
    <>
      {options?.password !== false && (
        <Form
          fields={fields}
          submit={signIn.submit}
          send={async (values) => {
            await call('post', '/api/v1/auth/login', {
              body: { email: values.email, password: values.password },
            })
            enter()
          }}
        />
      )}
      {options?.sso === true && (
        <a className="btn" href={`${BASE}/api/v1/auth/sso`}>
          {signIn.sso}
        </a>
      )}
    </>
  )
}

function Entry({
  title,
  text,
  children,
}: {
  readonly title: string
  readonly text?: string
  readonly children?: ReactNode
}) {
  useTitle(title)
  return (
    <main className="entry" id="main">
      <div className="card">
        <div className="row">
          <img src="./icon.svg" width={28} height={28} alt="" />
          <h1>{title}</h1>
        </div>
        {text !== undefined && <p className="muted">{text}</p>}
        {children}
      </div>
    </main>
  )
}
