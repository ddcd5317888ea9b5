/**
 * The variables of `engine-server` whose names begin like those of the platform; both may share an environment.
 * tests/platform/options.test.ts compares the list with the options of the engine.
 */
export const ENGINE_VARIABLES: readonly string[] = [
  'ENGINE_PLATFORM_CONNECT_TOKEN_FILE',
  'ENGINE_PLATFORM_READY_SECS',
  'ENGINE_PLATFORM_REGION',
  'ENGINE_PLATFORM_REGISTRATION_SECRET',
  'ENGINE_PLATFORM_SERVER_NAME',
  'ENGINE_PLATFORM_SERVER_URL',
  'ENGINE_PLATFORM_URL',
]
