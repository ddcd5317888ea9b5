import { Link, useNavigate } from '@tanstack/react-router'
import { type ComponentProps, useCallback } from 'react'

/** A link to a path of `paths.ts`; the router itself only accepts route patterns. */
export function Go({
  to,
  ...rest
}: Omit<ComponentProps<'a'>, 'href'> & {
  readonly to: string
  readonly search?: Readonly<Record<string, string | number>>
}) {
  return <Link {...(rest as object)} to={to} activeOptions={{ exact: true }} activeProps={{ 'aria-current': 'page' }} />
}

/** Returns a function that navigates to a path of `paths.ts`. */
export function useGo(): (
  to: string,
  options?: {
    readonly replace?: boolean
    /** `true` keeps the current parameters. */
    readonly search?: Readonly<Record<string, string>> | true
  },
) => void {
  const navigate = useNavigate()
  return useCallback((to, options = {}) => void navigate({ to, ...(options as object) }), [navigate])
}
