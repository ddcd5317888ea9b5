import { Link, useNavigate } from '@tanstack/react-router'
import { type ComponentProps, useCallback } from 'react'

/** A link to an address of `paths.ts`: the router knows routes by their patterns only. */
export function Go({
  to,
  ...rest
}: Omit<ComponentProps<'a'>, 'href'> & {
  readonly to: string
  readonly search?: Readonly<Record<string, string | number>>
}) {
  return <Link {...(rest as object)} to={to} activeOptions={{ exact: true }} activeProps={{ 'aria-current': 'page' }} />
}

/** Go to an address of `paths.ts`. */
export function useGo(): (
  to: string,
  options?: {
    readonly replace?: boolean
    /** `true`: that of the current address. */
    readonly search?: Readonly<Record<string, string>> | true
  },
) => void {
  const navigate = useNavigate()
  return useCallback((to, options = {}) => void navigate({ to, ...(options as object) }), [navigate])
}
