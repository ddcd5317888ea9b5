import { useQueryClient } from '@tanstack/react-query'
import { call } from '../api/client.ts'
import { signedOut } from '../api/errors.ts'
import { usePageTexts } from '../texts/page-texts.ts'
import { FormBox } from '../ui/form.tsx'

/** Shown over the page when the session has ended; the page keeps its state. */
export function SignInAgain({ email }: { readonly email: string }) {
  const { signIn } = usePageTexts()
  const client = useQueryClient()
  return (
    <FormBox
      title={signIn.again}
      close={() => signedOut.tell(false)}
      fields={[{ name: 'password', label: signIn.password, kind: 'password', autoComplete: 'current-password' }]}
      submit={signIn.submit}
      send={async (values) => {
        await call('post', '/api/v1/auth/login', { body: { email, password: values.password } })
        signedOut.tell(false)
        await client.invalidateQueries()
      }}
    >
      <p className="muted">{signIn.againText(email)}</p>
    </FormBox>
  )
}
