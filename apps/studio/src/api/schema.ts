// Made by tests/studio/api-types.test.ts from the OpenAPI document of the platform. Not to be edited.
export interface paths {
  "/api/v1/auth/login": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["LoginRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SignedIn"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/auth/token": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["TokenRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SignedIn"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/auth/token/preview": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["LinkPreviewRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["LinkPreview"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/auth/register": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["RegisterRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Registered"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/auth/logout": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/auth/change-password": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ChangePasswordRequest"] } }; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/auth/reset": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ResetRequest"] } }; responses: { 202: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ResetAccepted"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/auth/options": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SignInOptions"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/me": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Me"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["MeChange"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Me"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/me/sessions": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at" }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SessionList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/me/sessions/{id}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Session"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at" }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["OrganizationList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: { "idempotency-key"?: string }; path?: never; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["OrganizationRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Organization"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{id}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Organization"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: { "if-match"?: string }; path: { id: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["OrganizationChange"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Organization"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete: { parameters: { query?: never; header?: { "if-match"?: string }; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{id}/sub-orgs": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at" }; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["OrganizationList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: { "idempotency-key"?: string }; path: { id: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["OrganizationRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Organization"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/members": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at" | "name" | "-name" }; header?: never; path: { oid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["MemberList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["MemberRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["InvitedMember"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{parent_id}/sub-orgs/{sub_id}/members": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at" | "name" | "-name" }; header?: never; path: { parent_id: string; sub_id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["MemberList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: never; path: { parent_id: string; sub_id: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["MemberRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["InvitedMember"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/members/{uid}/roles": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put: { parameters: { query?: never; header?: never; path: { oid: string; uid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["MemberRoles"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Member"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/members/{uid}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    delete: { parameters: { query?: never; header?: never; path: { oid: string; uid: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/invitations": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at" | "name" | "-name" }; header?: never; path: { oid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["InvitationList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/invitations/{id}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    delete: { parameters: { query?: never; header?: never; path: { oid: string; id: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/invitations/accept": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["AcceptRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Accepted"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/invitations/preview": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["InvitationPreviewRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["InvitationPreview"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/roles": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at" }; header?: never; path: { oid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["RoleList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["RoleRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Role"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/roles/{id}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Role"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; id: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["RoleChange"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Role"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; id: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/notifications": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at"; unread_only?: boolean }; header?: never; path: { oid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["NotificationList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/notifications/count": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["NotificationCount"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/notifications/{nid}/read": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; nid: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/notifications/read-all": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/audit": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at"; actor?: string; action?: string; object_type?: string; object_id?: string; project_id?: string; from?: string; to?: string }; header?: never; path: { oid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["AuditEntryList"]; "application/x-ndjson": string } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/api-keys": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" }; header?: never; path: { oid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ApiKeyList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ApiKeyRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["CreatedApiKey"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/api-keys/{id}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ApiKey"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete: { parameters: { query?: never; header?: never; path: { oid: string; id: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/import": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: { dry_run?: boolean }; header?: { "idempotency-key"?: string }; path: { oid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["Archive"]; "application/gzip": string } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Imported"] } }; 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Imported"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/export": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/gzip": string; "application/json": components['schemas']["Archive"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/import": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: { dry_run?: boolean; prune?: boolean }; header?: { "idempotency-key"?: string }; path: { oid: string; pid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["Archive"]; "application/gzip": string } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Imported"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/templates": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["TemplateList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/templates/{id}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Template"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/from-template": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: { "idempotency-key"?: string }; path: { oid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["FromTemplate"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Project"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at" }; header?: never; path: { oid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ProjectList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: { "idempotency-key"?: string }; path: { oid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ProjectRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Project"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Project"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; pid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ProjectChange"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Project"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/environments": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at" }; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["EnvironmentList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["EnvironmentRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Environment"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/environments/{eid}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; eid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Environment"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; pid: string; eid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["EnvironmentChange"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Environment"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; pid: string; eid: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/environments/{eid}/canary": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; pid: string; eid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["CanaryChange"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Canary"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/environments/{eid}/recording": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; pid: string; eid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["RecordingChange"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Recording"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/facts": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at" }; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["FactList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["FactRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Fact"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/facts/{name}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Fact"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["FactChange"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ChangedFact"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/concepts": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at" }; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ConceptList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ConceptRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Concept"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/concepts/{name}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Concept"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ConceptChange"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ChangedConcept"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/contracts": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at" }; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ContractList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ContractRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Contract"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/contracts/{name}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Contract"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ContractChange"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ChangedContract"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/contracts/{name}/schema": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": { [key: string]: unknown } } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/contracts/{name}/openapi": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": { [key: string]: unknown } } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/contracts/{name}/types": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "text/plain": string } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/contracts/{name}/check": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ContractChange"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ContractVerdict"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/facts/{name}/usage": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; type?: string }; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["FactUsage"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/trace": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["TraceRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["TracedExecution"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/tests": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at" }; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["TestSuiteList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["SuiteOrCase"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["TestSuite"] | components['schemas']["Case"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/tests/{sid}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string; sid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["TestSuite"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; pid: string; name: string; sid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["SuiteRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["TestSuite"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; pid: string; name: string; sid: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/tests/{sid}/cases": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string; sid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["CaseRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Case"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/tests/{sid}/cases/{cid}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string; sid: string; cid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["CaseRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Case"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string; sid: string; cid: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/tests/run": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: { content: { "application/json": components['schemas']["RunRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["TestRun"]; "application/xml": string; "text/x-tap": string } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/tests/{sid}/run": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string; sid: string }; cookie?: never }; requestBody?: { content: { "application/json": components['schemas']["RunRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["TestRun"]; "application/xml": string; "text/x-tap": string } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/tests/run": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody?: { content: { "application/json": components['schemas']["ProjectRunRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ProjectTestRun"]; "application/xml": string; "text/x-tap": string } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/tests/export": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { format?: "yaml" | "csv" }; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/yaml": string; "text/csv": string } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/tests/import": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ImportRequest"]; "application/yaml": string; "text/csv": string } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ImportedSuites"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/sub-rules": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at" }; header?: never; path: { oid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SubRuleList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["SubRuleRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SubRule"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/sub-rules/{name}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SubRule"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: never; path: { oid: string; name: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["SubRuleChange"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SubRule"] } }; 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SubRule"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete: { parameters: { query?: { expected_seq?: number }; header?: never; path: { oid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/sub-rules/{name}/versions": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string }; header?: never; path: { oid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SubRuleSaveList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/sub-rules/{name}/versions/{seq}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; name: string; seq: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SubRuleVersion"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/sub-rules/{name}/diff": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { from?: number; to?: number }; header?: never; path: { oid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["DraftDiff"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/sub-rules": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at" }; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SubRuleList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["SubRuleRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SubRule"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/sub-rules/{name}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SubRule"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["SubRuleChange"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SubRule"] } }; 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SubRule"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete: { parameters: { query?: { expected_seq?: number }; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/sub-rules/{name}/versions": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string }; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SubRuleSaveList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/sub-rules/{name}/versions/{seq}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string; seq: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SubRuleVersion"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/sub-rules/{name}/diff": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { from?: number; to?: number }; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["DraftDiff"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at"; deleted?: boolean }; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["DraftList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Draft"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: { "idempotency-key"?: string }; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["SaveRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Saved"] } }; 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Saved"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete: { parameters: { query?: { expected_seq?: number }; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/duplicate": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["DuplicateRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Draft"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/rename": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["RenameRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Draft"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/restore": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Draft"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/validate": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["RulesetRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Validated"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/convert": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: { to?: "engine" | "editor" }; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["RulesetRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Converted"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/saves": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string }; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SaveList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/saves/{seq}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string; seq: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Draft"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/saves/{seq}/analysis": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string; seq: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SaveAnalysis"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/saves/{seq}/restore": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string; seq: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["RestoreSaveRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Draft"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/diff": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { from?: number; to?: number }; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["DraftDiff"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/publish": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: { "idempotency-key"?: string }; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["PublishRequest"] } }; responses: { 202: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Deployment"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/deployments": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at" }; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["DeploymentList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/comments": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at"; settled?: boolean }; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["DraftCommentList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["DraftCommentRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["DraftComment"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/comments/{cid}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string; cid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["DraftComment"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string; cid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["DraftCommentChange"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["DraftComment"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string; cid: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/contracts/derive": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["DeriveRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ContractDocument"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/events": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { last_event_id?: string }; header?: { "last-event-id"?: string }; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "text/event-stream": string } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/events": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { last_event_id?: string }; header?: { "last-event-id"?: string }; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "text/event-stream": string } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/presence": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["PresenceRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Presence"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/imports": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: { format?: "engine" | "jdm" | "dmn" | "json-rules-engine" | "xlsx" | "csv"; apply?: boolean; name?: string; decision?: string; repeat_input?: boolean }; header?: { "idempotency-key"?: string }; path: { oid: string; pid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ImportDocument"]; "application/xml": string; "text/xml": string; "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string; "application/octet-stream": string; "text/csv": string } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ImportedRulesets"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/export": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { format?: "engine" | "jdm" | "dmn" }; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ExportedRuleset"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/stats": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { from?: string; to?: string; step?: number }; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["RulesetStats"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/branch-counts": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { digest?: string }; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["BranchCounts"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/execute": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: { "idempotency-key"?: string }; path: { oid: string; pid: string; rid: string }; cookie?: never }; requestBody?: { content: { "application/json": components['schemas']["ReleaseExecuteRequest"] } }; responses: { 202: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseExecution"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/pause": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseExecution"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/resume": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseExecution"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/promote": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseExecution"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/abort": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseExecution"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/rollback": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: { "idempotency-key"?: string }; path: { oid: string; pid: string; rid: string }; cookie?: never }; requestBody?: { content: { "application/json": components['schemas']["ReleaseRollbackRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Release"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/history/{id}/rollback": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: { "idempotency-key"?: string }; path: { oid: string; pid: string; name: string; id: string }; cookie?: never }; requestBody?: { content: { "application/json": components['schemas']["ReleaseRollbackRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Release"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/execution": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseExecution"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/executions": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string }; header?: never; path: { oid: string; pid: string; rid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseExecutionList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/executions/{eid}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string; eid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseExecution"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/executions/{eid}/canaries": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string; eid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["CanaryProgressList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/executions/{eid}/events": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { last_event_id?: string; limit?: number; cursor?: string }; header?: { "last-event-id"?: string; accept?: string }; path: { oid: string; pid: string; rid: string; eid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "text/event-stream": string; "application/json": components['schemas']["ReleaseEventList"] } }; 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/release-policies": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at" }; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleasePolicyList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ReleasePolicyRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleasePolicy"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/release-policies/{id}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleasePolicy"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; pid: string; id: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ReleasePolicyChange"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleasePolicy"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; pid: string; id: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/freeze-windows": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { from?: string; to?: string }; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["FrozenTimeList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/releases": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at"; status?: "pending_approval" | "approved" | "rejected" | "cancelled" | "executing" | "paused" | "completed" | "failed" | "rolling_back" | "rolled_back" | "rollback_failed" }; header?: never; path: { oid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/releases/pending-for-me": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" }; header?: never; path: { oid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at"; status?: "pending_approval" | "approved" | "rejected" | "cancelled" | "executing" | "paused" | "completed" | "failed" | "rolling_back" | "rolled_back" | "rollback_failed"; environment?: string; digest?: string }; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: { "idempotency-key"?: string }; path: { oid: string; pid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ReleaseRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Release"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/preview": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ReleaseRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleasePreview"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Release"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/diff": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseDiffs"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/impact": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseImpact"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/approve": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string }; cookie?: never }; requestBody?: { content: { "application/json": components['schemas']["ApproveRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Release"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/reject": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["RejectRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Release"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/cancel": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string }; cookie?: never }; requestBody?: { content: { "application/json": components['schemas']["CancelRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Release"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/history": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string }; header?: never; path: { oid: string; pid: string; rid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseEventList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/history": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at" }; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["HistoryList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/comments": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at"; ruleset?: string; settled?: boolean }; header?: never; path: { oid: string; pid: string; rid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseCommentList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ReleaseCommentRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseComment"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/comments/{cid}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string; cid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseComment"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string; cid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ReleaseCommentChange"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseComment"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string; cid: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/connect-tokens": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" }; header?: never; path: { oid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ConnectTokenList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string }; cookie?: never }; requestBody?: { content: { "application/json": components['schemas']["ConnectTokenRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["CreatedConnectToken"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/connect-tokens/{id}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    delete: { parameters: { query?: never; header?: never; path: { oid: string; id: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/servers": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name"; org_id?: string }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ServerList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/servers/{id}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Server"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete: { parameters: { query?: { force?: boolean }; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/servers/{id}/health": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ServerHealth"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/servers/{id}/metrics": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { from?: string; to?: string; step?: number }; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ServerMetrics"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/servers/{id}/receipts": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReceiptChains"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/servers/{id}/receipts/{chain}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    delete: { parameters: { query?: never; header?: never; path: { id: string; chain: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/server": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { environment?: string }; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Binding"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["BindingRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Binding"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/decisions": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at"; environment?: string; outcome?: "decided" | "refused"; code?: string; receipt?: string; from?: string; to?: string }; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["RecordedDecisionList"]; "application/x-ndjson": string } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete: { parameters: { query?: { environment?: string; outcome?: "decided" | "refused"; code?: string; receipt?: string; from?: string; to?: string }; header?: never; path: { oid: string; pid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/decisions/{did}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; name: string; did: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["RecordedDecision"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/shadows": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" }; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ShadowList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ShadowRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Shadow"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/shadows/{id}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ShadowReport"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; id: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/replays": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at" }; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReplayList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ReplayRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Replay"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/replays/{id}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReplayReport"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; id: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/replays/{id}/events": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { last_event_id?: string }; header?: { "last-event-id"?: string }; path: { oid: string; pid: string; id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "text/event-stream": string } }; 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/signing-key": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SigningKey"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["SigningKeyRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["SigningKey"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete: { parameters: { query?: never; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/trusted-keys": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["TrustedKeys"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: never; path: { oid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["TrustedKeys"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["TrustedKeys"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/signatures": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseSignatures"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/signatures/{name}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string; name: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": { [key: string]: unknown } } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; rid: string; name: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["ReleaseSignatureRequest"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["ReleaseSignature"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/webhooks": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" }; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["WebhookList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["WebhookRequest"] } }; responses: { 201: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["CreatedWebhook"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/webhooks/{id}": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Webhook"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; pid: string; id: string }; cookie?: never }; requestBody: { content: { "application/json": components['schemas']["WebhookChange"] } }; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Webhook"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 408: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 413: { headers: { [name: string]: unknown }; content?: never }; 415: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    post?: never
    delete: { parameters: { query?: never; header?: { "if-match"?: string }; path: { oid: string; pid: string; id: string }; cookie?: never }; requestBody?: never; responses: { 204: { headers: { [name: string]: unknown }; content?: never }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/webhooks/{id}/deliveries": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" }; header?: never; path: { oid: string; pid: string; id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["DeliveryList"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    put?: never
    post?: never
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/webhooks/{id}/test": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Delivery"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
  "/api/v1/orgs/{oid}/projects/{pid}/webhooks/{id}/deliveries/{did}/redeliver": {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: { parameters: { query?: never; header?: never; path: { oid: string; pid: string; id: string; did: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: { [name: string]: unknown }; content: { "application/json": components['schemas']["Delivery"] } }; 400: { headers: { [name: string]: unknown }; content?: never }; 401: { headers: { [name: string]: unknown }; content?: never }; 403: { headers: { [name: string]: unknown }; content?: never }; 404: { headers: { [name: string]: unknown }; content?: never }; 409: { headers: { [name: string]: unknown }; content?: never }; 429: { headers: { [name: string]: unknown }; content?: never }; 500: { headers: { [name: string]: unknown }; content?: never }; 503: { headers: { [name: string]: unknown }; content?: never }; 504: { headers: { [name: string]: unknown }; content?: never } } }
    delete?: never
    patch?: never
    options?: never
    head?: never
    trace?: never
  }
}
export interface components {
  schemas: {
    Health: { status: "healthy" | "unhealthy"; version: string; uptime_seconds: number; checks: { database: "ok" | "failed"; migrations: "ok" | "failed"; jobs: "ok" | "failed"; storage: string }; database: { mode: "embedded" | "postgres"; migration: number }; servers: { total: number; healthy: number } }
    Error: { error: string; code: "BAD_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "TOO_MANY_REQUESTS" | "INTERNAL_ERROR" | "NOT_IMPLEMENTED" | "BAD_GATEWAY" | "UNAVAILABLE" | "TIMEOUT"; details?: (components['schemas']["ErrorDetail"])[]; request_id: string; current?: unknown }
    ErrorDetail: { path: string; message: string; code?: string; line?: number; column?: number; length?: number; suggestion?: string; step_id?: string }
    ProxyHealth: { status: "healthy" | "unhealthy"; database: "ok" | "away" }
    Liveness: { status: "alive" }
    LoginRequest: { email: string; password: string }
    SignedIn: { user: components['schemas']["User"] }
    User: { id: string; email: string; display_name: string; last_login: string | null }
    TokenRequest: { token: string; password?: string; email?: string; display_name?: string }
    LinkPreviewRequest: { token: string }
    LinkPreview: { email: string; display_name: string; purpose: "sign-in" | "reset" }
    RegisterRequest: { email: string; password: string; display_name: string }
    Registered: { email: string; display_name: string }
    ChangePasswordRequest: { current: string; next: string }
    ResetRequest: { email: string }
    ResetAccepted: { message: string }
    SignInOptions: { password: boolean; registration: boolean; sso: boolean }
    Me: { user: components['schemas']["User"] | null; key: components['schemas']["MyKey"] | null; organizations: (components['schemas']["MyOrganization"])[] }
    MyKey: { id: string; name: string; org_id: string; scopes: ("project.read" | "contract.edit" | "fact.edit" | "ruleset.edit" | "test.run" | "release.create" | "decision.execute" | "member.manage" | "role.manage" | "project.manage" | "environment.manage" | "ruleset.publish" | "release.approve" | "release.execute" | "release.rollback" | "server.manage" | "token.manage" | "audit.read" | "org.manage")[]; project_ids: (string)[] | null; environments: (string)[] | null }
    MyOrganization: { id: string; name: string; parent_org_id: string | null; my_roles: (string)[]; my_permissions: ("project.read" | "contract.edit" | "fact.edit" | "ruleset.edit" | "test.run" | "release.create" | "decision.execute" | "member.manage" | "role.manage" | "project.manage" | "environment.manage" | "ruleset.publish" | "release.approve" | "release.execute" | "release.rollback" | "server.manage" | "token.manage" | "audit.read" | "org.manage")[] }
    MeChange: { display_name?: string }
    SessionList: { items: (components['schemas']["Session"])[]; next_cursor: string | null }
    Session: { id: string; created_at: string; last_used_at: string; expires_at: string; ip: string | null; user_agent: string | null; current: boolean }
    OrganizationList: { items: (components['schemas']["Organization"])[]; next_cursor: string | null }
    Organization: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; name: string; description: string; parent_org_id: string | null; depth: number; member_count: number; child_count: number; project_count: number; my_roles: (string)[]; my_permissions: ("project.read" | "contract.edit" | "fact.edit" | "ruleset.edit" | "test.run" | "release.create" | "decision.execute" | "member.manage" | "role.manage" | "project.manage" | "environment.manage" | "ruleset.publish" | "release.approve" | "release.execute" | "release.rollback" | "server.manage" | "token.manage" | "audit.read" | "org.manage")[] }
    OrganizationRequest: { name: string; description?: string }
    OrganizationChange: { name?: string; description?: string }
    MemberList: { items: (components['schemas']["Member"])[]; next_cursor: string | null }
    Member: { id: string; user_id: string | null; email: string; display_name: string; roles: (string)[]; status: "invited" | "active"; inherited_from: string | null; invited_at: string }
    MemberRequest: { email: string; roles?: (string)[]; role?: string }
    InvitedMember: { id: string; user_id: string | null; email: string; display_name: string; roles: (string)[]; status: "invited" | "active"; inherited_from: string | null; invited_at: string; invitation: { expires_at: string; sent: boolean; url?: string } }
    MemberRoles: { roles: (string)[] }
    InvitationList: { items: (components['schemas']["Invitation"])[]; next_cursor: string | null }
    Invitation: { id: string; member_id: string; email: string; roles: (string)[]; prefix: string; sent: boolean; created_at: string; created_by: string; expires_at: string }
    AcceptRequest: { token: string; password?: string; display_name?: string }
    Accepted: { user: components['schemas']["User"]; org_id: string }
    InvitationPreviewRequest: { token: string }
    InvitationPreview: { email: string; organization: string; invited_by: string | null; has_account: boolean }
    RoleList: { items: (components['schemas']["Role"])[]; next_cursor: string | null }
    Role: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; name: string; description: string; permissions: ("project.read" | "contract.edit" | "fact.edit" | "ruleset.edit" | "test.run" | "release.create" | "decision.execute" | "member.manage" | "role.manage" | "project.manage" | "environment.manage" | "ruleset.publish" | "release.approve" | "release.execute" | "release.rollback" | "server.manage" | "token.manage" | "audit.read" | "org.manage")[]; is_system: boolean }
    RoleRequest: { name: string; description?: string; permissions: ("project.read" | "contract.edit" | "fact.edit" | "ruleset.edit" | "test.run" | "release.create" | "decision.execute" | "member.manage" | "role.manage" | "project.manage" | "environment.manage" | "ruleset.publish" | "release.approve" | "release.execute" | "release.rollback" | "server.manage" | "token.manage" | "audit.read" | "org.manage")[] }
    RoleChange: { name?: string; description?: string; permissions?: ("project.read" | "contract.edit" | "fact.edit" | "ruleset.edit" | "test.run" | "release.create" | "decision.execute" | "member.manage" | "role.manage" | "project.manage" | "environment.manage" | "ruleset.publish" | "release.approve" | "release.execute" | "release.rollback" | "server.manage" | "token.manage" | "audit.read" | "org.manage")[] }
    NotificationList: { items: (components['schemas']["Notification"])[]; next_cursor: string | null }
    Notification: { id: string; kind: "release_approval_pending" | "release_failed" | "release_commented" | "tests_failed" | "member_changed"; ref_type: string; ref_id: string; payload: unknown; read_at: string | null; created_at: string }
    NotificationCount: { unread: number; total: number }
    AuditEntryList: { items: (components['schemas']["AuditEntry"])[]; next_cursor: string | null }
    AuditEntry: { id: string; at: string; project_id: string | null; actor: { type: "user" | "key" | "server" | "system"; id: string; name: string }; action: string; object: { type: string; id: string; name: string }; before: unknown; after: unknown; ip: string | null; request_id: string | null }
    ApiKeyList: { items: (components['schemas']["ApiKey"])[]; next_cursor: string | null }
    ApiKey: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; name: string; prefix: string; scopes: ("project.read" | "contract.edit" | "fact.edit" | "ruleset.edit" | "test.run" | "release.create" | "decision.execute" | "member.manage" | "role.manage" | "project.manage" | "environment.manage" | "ruleset.publish" | "release.approve" | "release.execute" | "release.rollback" | "server.manage" | "token.manage" | "audit.read" | "org.manage")[]; project_ids: (string)[] | null; environments: (string)[] | null; expires_at: string | null; last_used_at: string | null }
    ApiKeyRequest: { name: string; scopes: ("project.read" | "contract.edit" | "fact.edit" | "ruleset.edit" | "test.run" | "release.create" | "decision.execute" | "member.manage" | "role.manage" | "project.manage" | "environment.manage" | "ruleset.publish" | "release.approve" | "release.execute" | "release.rollback" | "server.manage" | "token.manage" | "audit.read" | "org.manage")[]; project_ids?: (string)[]; environments?: (string)[]; expires_at?: string }
    CreatedApiKey: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; name: string; prefix: string; scopes: ("project.read" | "contract.edit" | "fact.edit" | "ruleset.edit" | "test.run" | "release.create" | "decision.execute" | "member.manage" | "role.manage" | "project.manage" | "environment.manage" | "ruleset.publish" | "release.approve" | "release.execute" | "release.rollback" | "server.manage" | "token.manage" | "audit.read" | "org.manage")[]; project_ids: (string)[] | null; environments: (string)[] | null; expires_at: string | null; last_used_at: string | null; token: string }
    Archive: { files: (components['schemas']["ArchiveFile"])[] }
    ArchiveFile: { path: string; text: string }
    Imported: { project: components['schemas']["Project"] | null; created: (string)[]; changed: (string)[]; removed: (string)[]; problems: (components['schemas']["FileProblem"])[] }
    Project: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; org_id: string; name: string; description: string; current_environment: string; contract_mode: "off" | "warn" | "enforce"; public_key: string | null }
    FileProblem: { file: string; path: string; message: string; code: string; severity: "error" | "warning"; step_id?: string; suggestion?: string; line?: number; column?: number; length?: number }
    TemplateList: { items: (components['schemas']["TemplateItem"])[]; next_cursor: string | null }
    TemplateItem: { id: string; name: string; description: string; rulesets: ({ name: string; description: string })[]; contains: { facts: number; concepts: number; contracts: number; sub_rules: number; cases: number; samples: number } }
    Template: { id: string; name: string; description: string; rulesets: ({ name: string; description: string })[]; contains: { facts: number; concepts: number; contracts: number; sub_rules: number; cases: number; samples: number }; files: (components['schemas']["ArchiveFile"])[] }
    FromTemplate: { template_id: string; project_name: string; project_description?: string }
    ProjectList: { items: (components['schemas']["Project"])[]; next_cursor: string | null }
    ProjectRequest: { name: string; description?: string; contract_mode?: "off" | "warn" | "enforce" }
    ProjectChange: { name?: string; description?: string; current_environment?: string; contract_mode?: "off" | "warn" | "enforce" }
    EnvironmentList: { items: (components['schemas']["Environment"])[]; next_cursor: string | null }
    Environment: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; project_id: string; name: string; order: number; is_default: boolean; requires_release: boolean; tenant_id: string; server_ids: (string)[]; canary: components['schemas']["Canary"]; recording: components['schemas']["Recording"]; hold_before: boolean; allow_local_rulesets: boolean }
    Canary: { stages: ({ percent: number; duration_s: number; min_requests?: number })[]; on_failure: "pause" | "rollback"; on_inconclusive: "hold" | "promote"; alpha: number; canary_target_env_id: string | null; canary_percentage: number; servers: (string)[] }
    Recording: { rate: number; retention_days: number; mask: (string)[]; answers?: boolean }
    EnvironmentRequest: { name: string; order?: number; requires_release?: boolean; hold_before?: boolean; allow_local_rulesets?: boolean }
    EnvironmentChange: { name?: string; order?: number; requires_release?: boolean; hold_before?: boolean; allow_local_rulesets?: boolean }
    CanaryChange: { stages?: ({ percent: number; duration_s: number; min_requests?: number })[]; on_failure?: "pause" | "rollback"; on_inconclusive?: "hold" | "promote"; alpha?: number; canary_target_env_id?: string | null; canary_percentage?: number; servers?: (string)[] }
    RecordingChange: { rate?: number; retention_days?: number; mask?: (string)[]; answers?: boolean }
    FactList: { items: (components['schemas']["Fact"])[]; next_cursor: string | null }
    Fact: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; name: string; type: string; description: string; example?: unknown; tags: (string)[]; used_by: ({ kind: "contract" | "concept" | "fact"; name: string })[] }
    FactRequest: { name: string; type: string; description?: string; example?: unknown; tags?: (string)[] }
    FactChange: { name?: string; type: string; description?: string; example?: unknown; tags?: (string)[] }
    ChangedFact: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; name: string; type: string; description: string; example?: unknown; tags: (string)[]; used_by: ({ kind: "contract" | "concept" | "fact"; name: string })[]; migrations: ({ contract: string; field: string })[] }
    ConceptList: { items: (components['schemas']["Concept"])[]; next_cursor: string | null }
    Concept: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; name: string; fields: (components['schemas']["TypedField"])[]; used_by: ({ kind: "contract" | "concept" | "fact"; name: string })[] }
    TypedField: { name: string; type: string; description?: string }
    ConceptRequest: { name: string; fields: (components['schemas']["TypedField"])[] }
    ConceptChange: { name?: string; fields: (components['schemas']["TypedField"])[] }
    ChangedConcept: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; name: string; fields: (components['schemas']["TypedField"])[]; used_by: ({ kind: "contract" | "concept" | "fact"; name: string })[]; migrations: ({ contract: string; field: string })[] }
    ContractList: { items: (components['schemas']["Contract"])[]; next_cursor: string | null }
    Contract: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; name: string; version: string; description?: string; input: { fields: (components['schemas']["Field"])[] }; outputs: ({ code: string; description?: string; fields: (components['schemas']["TypedField"])[] })[]; needs_migration: boolean; migrations: ({ field: string; reason: string })[] }
    Field: { name: string; type: string; description?: string; required?: boolean; default?: unknown; enum?: (unknown)[]; minimum?: number; maximum?: number; digits?: number; decimals?: number; sensitive?: boolean }
    ContractRequest: { name: string; version: string; description?: string; input: { fields: (components['schemas']["Field"])[] }; outputs: ({ code: string; description?: string; fields: (components['schemas']["TypedField"])[] })[] }
    ContractChange: { name?: string; version: string; description?: string; input: { fields: (components['schemas']["Field"])[] }; outputs: ({ code: string; description?: string; fields: (components['schemas']["TypedField"])[] })[] }
    ChangedContract: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; name: string; version: string; description?: string; input: { fields: (components['schemas']["Field"])[] }; outputs: ({ code: string; description?: string; fields: (components['schemas']["TypedField"])[] })[]; needs_migration: boolean; migrations: ({ field: string; reason: string })[]; breaking: boolean; breaks: ({ path: string; message: string })[] }
    ContractVerdict: { breaking: boolean; breaks: ({ path: string; message: string })[]; bump: "major" | "minor" | "patch" | "none" }
    FactUsage: { contracts: ({ name: string; fields: (string)[] })[]; items: (components['schemas']["RulesetUsage"])[]; next_cursor: string | null }
    RulesetUsage: { name: string; seq: number; contract: string | null; places: (components['schemas']["FieldPlace"])[]; place_count: number | null; problems: (components['schemas']["Problem"])[] }
    FieldPlace: { step_id?: string; path: string; reads: string; line: number; column: number; length: number }
    Problem: { path: string; message: string; code: string; severity: "error" | "warning"; step_id?: string; suggestion?: string; line?: number; column?: number; length?: number }
    TraceRequest: { ruleset: components['schemas']["Ruleset"]; input: { [key: string]: unknown }; now?: string; stubs?: { [key: string]: unknown } }
    Ruleset: { [key: string]: unknown }
    TracedExecution: { code: string | null; message: string | null; output: { [key: string]: unknown } | null; duration_us: number; trace: { path: string; steps: (components['schemas']["TracedStep"])[]; truncated?: boolean }; error?: { message: string; code: string; step_id?: string } }
    TracedStep: { id: string; name: string; type: string; duration_us?: number; branch?: string; branches?: ({ path: string; condition: string; taken: boolean; fields: { [key: string]: unknown }; error?: string })[]; values: { [key: string]: unknown } }
    TestSuiteList: { items: (components['schemas']["TestSuite"])[]; next_cursor: string | null }
    TestSuite: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; name: string; cases: (components['schemas']["Case"])[] }
    Case: { id: string; name: string; input: { [key: string]: unknown }; now?: string; stubs?: { [key: string]: unknown }; expect: components['schemas']["Expectation"] }
    Expectation: { code?: string; message?: string; output?: unknown; exact?: boolean; path?: (string)[]; tolerance?: number; error?: string }
    SuiteOrCase: { name: string; cases?: (components['schemas']["CaseInSuite"])[]; input?: { [key: string]: unknown }; now?: string; stubs?: { [key: string]: unknown }; expect?: components['schemas']["Expectation"] }
    CaseInSuite: { id?: string; name: string; input?: { [key: string]: unknown }; now?: string; stubs?: { [key: string]: unknown }; expect: components['schemas']["Expectation"] }
    SuiteRequest: { name: string; cases: (components['schemas']["CaseInSuite"])[] }
    CaseRequest: { name: string; input?: { [key: string]: unknown }; now?: string; stubs?: { [key: string]: unknown }; expect: components['schemas']["Expectation"] }
    RunRequest: { seq?: number; case_ids?: (string)[] }
    TestRun: { total: number; passed: number; failed: number; results: ({ suite: string; case_id: string; name: string; passed: boolean; failures: ({ kind: string; message: string })[]; actual: { code: string | null; message: string | null; output: { [key: string]: unknown } | null; path: (string)[]; error?: string }; duration_us: number })[]; coverage: { steps: { covered: number; total: number; missing: (string)[] }; branches: { covered: number; total: number; missing: (string)[] }; rows: { covered: number; total: number; missing: (string)[] } } }
    ProjectRunRequest: { [key: string]: unknown }
    ProjectTestRun: { total: number; passed: number; failed: number; rulesets: ({ name: string; total: number; passed: number; failed: number; results: ({ suite: string; case_id: string; name: string; passed: boolean; failures: ({ kind: string; message: string })[]; actual: { code: string | null; message: string | null; output: { [key: string]: unknown } | null; path: (string)[]; error?: string }; duration_us: number })[]; coverage: { steps: { covered: number; total: number; missing: (string)[] }; branches: { covered: number; total: number; missing: (string)[] }; rows: { covered: number; total: number; missing: (string)[] } } })[] }
    ImportRequest: { ruleset?: string; cases: (components['schemas']["ImportedCase"])[] }
    ImportedCase: { suite?: string; name: string; input?: { [key: string]: unknown }; now?: string; stubs?: { [key: string]: unknown }; expect: components['schemas']["Expectation"] }
    ImportedSuites: { suites: (components['schemas']["TestSuite"])[] }
    SubRuleList: { items: (components['schemas']["SubRule"])[]; next_cursor: string | null }
    SubRule: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; name: string; version: string; graph: { [key: string]: unknown }; bindings: ({ name: string; type: string; required: boolean })[]; outputs: ({ name: string; type: string })[]; seq: number; used_by: ({ kind: "ruleset" | "sub_rule"; name: string })[] }
    SubRuleRequest: { name: string; version: string; graph: { [key: string]: unknown }; bindings: ({ name: string; type: string; required?: boolean })[]; outputs: ({ name: string; type: string })[]; expected_seq?: number }
    SubRuleChange: { name?: string; version: string; graph: { [key: string]: unknown }; bindings: ({ name: string; type: string; required?: boolean })[]; outputs: ({ name: string; type: string })[]; expected_seq: number }
    SubRuleSaveList: { items: (components['schemas']["SubRuleSave"])[]; next_cursor: string | null }
    SubRuleSave: { seq: number; version: string; at: string; by: string }
    SubRuleVersion: { name: string; seq: number; version: string; at: string; by: string; graph: { [key: string]: unknown }; bindings: ({ name: string; type: string; required: boolean })[]; outputs: ({ name: string; type: string })[] }
    DraftDiff: { config: ({ path: string; before: unknown; after: unknown })[]; steps_added: (string)[]; steps_removed: (string)[]; steps_changed: ({ id: string; path: string; before: unknown; after: unknown })[] }
    DraftList: { items: (components['schemas']["DraftItem"])[]; next_cursor: string | null }
    DraftItem: { name: string; version: string; description: string; seq: number; updated_at: string; updated_by: string; live: ({ environment: string; version: string; digest: string; release_id: string | null; release_number: number | null; seq: number | null; since: string })[] }
    Draft: { name: string; ruleset: components['schemas']["Ruleset"]; seq: number; updated_at: string; updated_by: string; problems: (components['schemas']["Problem"])[] }
    SaveRequest: { ruleset: components['schemas']["Ruleset"]; expected_seq: number }
    Saved: { seq: number; updated_at: string; problems: (components['schemas']["Problem"])[]; intended?: ({ finding: "dead_branch" | "shadowed" | "always_true" | "unreachable_step" | "unreachable_code" | "gap" | "can_fail" | "endless_loop" | "depth_limit" | "overlap" | "contract" | "not_tested"; place: string; reason: string; author?: string; at?: string })[] }
    DuplicateRequest: { name: string }
    RenameRequest: { name: string; expected_seq?: number }
    RulesetRequest: { ruleset: components['schemas']["Ruleset"] }
    Validated: { problems: (components['schemas']["Problem"])[] }
    Converted: { ruleset: { [key: string]: unknown } }
    SaveList: { items: (components['schemas']["Save"])[]; next_cursor: string | null }
    Save: { seq: number; at: string; by: string }
    SaveAnalysis: { seq: number; findings: (components['schemas']["Finding"])[]; questions: { proved: number; refuted: number; unknown: number }; domain: "any" | "contract"; truncated: boolean; reason: string | null; impacts: ({ environment: string; base: { version: string; digest: string; release_id: string | null }; diff: { verdict: "equivalent" | "different" | "unknown"; regions: ({ condition: string; complete?: boolean; before: components['schemas']["Side"]; after: components['schemas']["Side"]; witness: components['schemas']["Witness"]; recorded?: number })[]; only_adds: components['schemas']["Verdict"]; only_removes: components['schemas']["Verdict"]; no_new_failure: components['schemas']["Verdict"]; unknown: ({ place: string; reason: string })[]; truncated: boolean }; probes: { asked: number; changed: number } })[] }
    Finding: { kind: string; place: string; verdict: components['schemas']["Verdict"]; severity: "error" | "warning" | "info"; by?: (string)[]; code?: string; error?: string; witness?: components['schemas']["Witness"]; acknowledged?: { reason: string; author?: string; at?: string }; reason?: string }
    Verdict: "proved" | "refuted" | "unknown"
    Witness: { input: { [key: string]: unknown }; now?: number; stubs?: (components['schemas']["Stub"])[] }
    Stub: { service: string; method: string; parameters: unknown; answer?: unknown; error?: string }
    Side: { code?: string; message?: string; output?: { [key: string]: unknown }; error?: { code: string; step: string } }
    RestoreSaveRequest: { expected_seq: number }
    PublishRequest: { environment?: string; environment_id?: string; seq?: number; release_note?: string }
    Deployment: { id: string; ruleset_name: string; environment: string; version: string; seq: number; digest: string; status: "queued" | "success" | "failed"; release_note: string; deployed_by: string; deployed_at: string }
    DeploymentList: { items: (components['schemas']["Deployment"])[]; next_cursor: string | null }
    DraftCommentList: { items: (components['schemas']["DraftComment"])[]; next_cursor: string | null }
    DraftComment: { id: string; place: string; text: string; settled: boolean; created_at: string; created_by: string; updated_at: string; updated_by: string }
    DraftCommentRequest: { place: string; text: string }
    DraftCommentChange: { text?: string; settled?: boolean }
    DeriveRequest: { ruleset: string; inputs?: (unknown)[] }
    ContractDocument: { name: string; version: string; description?: string; input: { fields: (components['schemas']["Field"])[] }; outputs: ({ code: string; description?: string; fields: (components['schemas']["TypedField"])[] })[] }
    PresenceRequest: { step_id: string | null }
    Presence: { ruleset: string; present: ({ type: "user" | "key"; id: string; name: string; step_id: string | null; since: string })[] }
    ImportDocument: unknown
    ImportedRulesets: { rulesets: (components['schemas']["ImportedRuleset"])[]; lost: (components['schemas']["Loss"])[]; report: components['schemas']["ImportReport"] }
    ImportedRuleset: { name: string; ruleset: components['schemas']["Ruleset"]; cases?: (unknown)[]; contract?: unknown }
    Loss: { path: string; message: string; code: string; severity: "error" | "warning" | "info"; step_id?: string; suggestion?: string; line?: number; column?: number; length?: number }
    ImportReport: { summary: { documents: number; ready: number; review: number; refused: number; cases: number; failed: number }; documents: ({ document: string; verdict: "ready" | "review" | "refused"; rulesets: (string)[]; cases: ({ ruleset: string; name: string; passed: boolean; failures: (string)[] })[] })[]; reasons: ({ severity: "error" | "warning" | "info"; code: string; count: number; places: ({ document: string; path: string; message: string; line?: number; column?: number })[] })[] }
    ExportedRuleset: { document: unknown; lost: (components['schemas']["Loss"])[] }
    McpMessage: unknown
    McpAnswer: { jsonrpc: "2.0"; id: string | number | null; result?: { [key: string]: unknown }; error?: { code: number; message: string } }
    RulesetStats: { from: string; to: string; step_seconds: number; environments: ({ environment_id: string; environment: string; contents: ({ digest: string; version: string | null; executions: number; errors: number; codes: { [key: string]: number }; latency_us: { mean: number | null; p50: number | null; p90: number | null; p99: number | null }; points: ({ at: string; executions: number; errors: number; codes: { [key: string]: number } })[] })[] })[] }
    BranchCounts: { from: string; environments: ({ environment_id: string; environment: string; executions: number; branches: { [key: string]: (number)[] } })[] }
    ReleaseExecuteRequest: { emergency_reason?: string; expect?: ({ from: string; to: string; share?: number })[] }
    ReleaseExecution: { id: string; release_id: string; status: "running" | "paused" | "completed" | "failed" | "cancelled" | "rolled_back"; step: "preflight" | "canary" | "full" | "verify" | "done"; environment: string | null; stage: { index: number; percent: number; ends_at: string; verdict: components['schemas']["StageVerdict"] | null } | null; expected: (components['schemas']["ExpectedTransition"])[]; servers: ({ server_id: string; name: string; environment: string; canary_only: boolean; status: "pending" | "delivering" | "verifying" | "live" | "skipped" | "failed" | "rolled_back"; digest: string | null; error: string | null })[]; started_at: string; ended_at: string | null; error: string | null }
    StageVerdict: { decision: "continue" | "promote" | "hold" | "rollback"; reason: string; errors: { canary: number; stable: number; e: number }; latency: { canary: number; stable: number; e: number }; codes: { e: number; counts: { [key: string]: { canary: number; stable: number } } }; requests: { canary: number; stable: number } }
    ExpectedTransition: { from: string; to: string; share: number | null; environments: (string)[] }
    ReleaseRollbackRequest: { reason?: string }
    Release: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; number: number; project_id: string; kind: "release" | "rollback"; status: "pending_approval" | "approved" | "rejected" | "cancelled" | "executing" | "paused" | "completed" | "failed" | "rolling_back" | "rolled_back" | "rollback_failed"; title: string; description: string; acknowledge_breaking: boolean; environments: (string)[]; rulesets: ({ name: string; from_seq: number | null; version: string | null; digest: string | null })[]; content_digest: string; rollback_of: string | null; requirements: (components['schemas']["ReleaseRequirement"])[]; reviews: ({ user: string; decision: "approved" | "rejected"; comment: string; at: string })[]; authors: (string)[]; tests: components['schemas']["TestRun"] | null; execution_id: string | null; allowed: ("approve" | "reject" | "cancel" | "execute" | "pause" | "resume" | "promote" | "abort" | "rollback")[] }
    ReleaseRequirement: { environment: string | null; policy_id: string | null; min_count: number; roles: (string)[]; exclude_authors: boolean; approved_by: (string)[]; satisfied: boolean }
    ReleaseExecutionList: { items: (components['schemas']["ReleaseExecution"])[]; next_cursor: string | null }
    CanaryProgressList: { items: (components['schemas']["CanaryProgress"])[]; next_cursor: string | null }
    CanaryProgress: { environment: string; alpha: number; on_failure: "pause" | "rollback"; on_inconclusive: "hold" | "promote"; slow_above_ms: number | null; stages: ({ index: number; percent: number; duration_s: number; min_requests: number; begun_at: string | null; ends_at: string | null; ended_at: string | null; requests: { canary: number; stable: number }; errors: { canary: number; stable: number } })[]; measures: { requests: { canary: number; stable: number }; errors: { canary: number; stable: number; e: number; alarm: number; alarm_at: number | null; ratio: { estimate: number | null; low: number; high: number | null } }; latency: { canary: number; stable: number; e: number; alarm: number; alarm_at: number | null; ratio: { estimate: number | null; low: number; high: number | null } }; codes: { e: number; alarm: number; counts: { [key: string]: { canary: number; stable: number } } } } | null; predicted: { replayed: number; codes: { [key: string]: { before: number; after: number } } } | null }
    ReleaseEventList: { items: (components['schemas']["ReleaseEvent"])[]; next_cursor: string | null }
    ReleaseEvent: { id: number; release_id: string; execution_id: string | null; type: "release_created" | "release_reviewed" | "release_cancelled" | "comment_added" | "execution_started" | "execution_paused" | "execution_resumed" | "execution_cancelled" | "execution_failed" | "execution_completed" | "preflight_passed" | "environment_started" | "environment_completed" | "stage_started" | "stage_verdict" | "stage_passed" | "server_state" | "rollback_started" | "rollback_completed" | "rollback_failed"; at: string; status: "pending_approval" | "approved" | "rejected" | "cancelled" | "executing" | "paused" | "completed" | "failed" | "rolling_back" | "rolled_back" | "rollback_failed"; environment?: string; server_id?: string; actor: { type: "user" | "key" | "server" | "system"; id: string; name: string }; data: { [key: string]: unknown } }
    ReleasePolicyList: { items: (components['schemas']["ReleasePolicy"])[]; next_cursor: string | null }
    ReleasePolicy: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; name: string; priority: number; enabled: boolean; match: { environments: (string)[] }; approvers: components['schemas']["Approvers"]; auto_run_tests: boolean; require_contract_mode: "warn" | "enforce" | null; forbid: (string)[]; max_changed: number | null; require_coverage: components['schemas']["RequiredCoverage"] | null; freeze_window: components['schemas']["FreezeWindow"] | null }
    Approvers: { min_count: number; roles: (string)[]; exclude_authors: boolean }
    RequiredCoverage: { branches?: number; conditions?: number; boundaries?: number; mutants?: number }
    FreezeWindow: { cron: string; duration: string; time_zone?: string }
    FrozenTimeList: { items: (components['schemas']["FrozenTime"])[]; next_cursor: string | null }
    FrozenTime: { environment: string; policy_id: string; policy: string; from: string; to: string }
    ReleasePolicyRequest: { name: string; priority?: number; enabled?: boolean; match?: { environments: (string)[] }; approvers?: { min_count?: number; roles?: (string)[]; exclude_authors?: boolean }; auto_run_tests?: boolean; require_contract_mode?: "warn" | "enforce" | null; forbid?: (string)[]; max_changed?: number | null; require_coverage?: components['schemas']["RequiredCoverage"] | null; freeze_window?: components['schemas']["FreezeWindow"] | null }
    ReleasePolicyChange: { name?: string; priority?: number; enabled?: boolean; match?: { environments: (string)[] }; approvers?: { min_count?: number; roles?: (string)[]; exclude_authors?: boolean }; auto_run_tests?: boolean; require_contract_mode?: "warn" | "enforce" | null; forbid?: (string)[]; max_changed?: number | null; require_coverage?: components['schemas']["RequiredCoverage"] | null; freeze_window?: components['schemas']["FreezeWindow"] | null }
    ReleaseList: { items: (components['schemas']["Release"])[]; next_cursor: string | null }
    ReleaseRequest: { rulesets: ({ name: string; from_seq?: number; remove?: boolean })[]; environments: (string)[]; title: string; description?: string; acknowledge_breaking?: boolean }
    ReleasePreview: { would_create: boolean; blocked: (components['schemas']["Problem"])[]; diffs: (components['schemas']["ReleaseDiff"])[]; requirements: (components['schemas']["ReleaseRequirement"])[]; tests: components['schemas']["TestRun"] | null; analyses: (components['schemas']["RulesetAnalysis"])[]; impacts: (components['schemas']["ReleaseTargetImpact"])[]; refused: (components['schemas']["RefusedDecisions"])[]; content_digest: string }
    ReleaseDiff: { environment: string; ruleset: string; base: { version: string; digest: string; release_id: string | null } | null; removed: boolean; config: ({ path: string; before?: unknown; after?: unknown })[]; steps_added: (string)[]; steps_removed: (string)[]; steps_changed: ({ id: string; path: string; before?: unknown; after?: unknown })[]; branches_changed: ({ step: string; kind: "branch" | "row" | "default"; id: string; change: "added" | "removed" | "changed" | "moved"; changes: ({ path: string; before?: unknown; after?: unknown })[] })[]; sub_rules: ({ name: string; change: "added" | "removed" | "changed"; config: ({ path: string; before?: unknown; after?: unknown })[]; steps_added: (string)[]; steps_removed: (string)[]; steps_changed: ({ id: string; path: string; before?: unknown; after?: unknown })[]; branches_changed: ({ step: string; kind: "branch" | "row" | "default"; id: string; change: "added" | "removed" | "changed" | "moved"; changes: ({ path: string; before?: unknown; after?: unknown })[] })[] })[]; contract: { breaking: boolean; breaks: ({ path: string; message: string })[]; bump: "major" | "minor" | "patch" | "none" } | null }
    RulesetAnalysis: { ruleset: string; findings: (components['schemas']["Finding"])[]; questions: { proved: number; refuted: number; unknown: number }; domain: "any" | "contract"; truncated: boolean; reason: string | null; coverage: { branches: { percent: number; missing: (string)[] }; conditions: { percent: number; missing: (string)[] }; boundaries: { percent: number; missing: (string)[] }; mutants: { percent: number; missing: (string)[] } } | null }
    ReleaseTargetImpact: { environment: string; ruleset: string; base: { version: string; digest: string; release_id: string | null }; diff: { verdict: "equivalent" | "different" | "unknown"; regions: ({ condition: string; complete?: boolean; before: components['schemas']["Side"]; after: components['schemas']["Side"]; witness: components['schemas']["Witness"]; recorded?: number })[]; only_adds: components['schemas']["Verdict"]; only_removes: components['schemas']["Verdict"]; no_new_failure: components['schemas']["Verdict"]; unknown: ({ place: string; reason: string })[]; truncated: boolean }; probes: { asked: number; changed: number }; records: components['schemas']["ReplaySummary"] | null; gates: ({ gate: string; verdict: components['schemas']["Verdict"]; witness?: components['schemas']["Witness"] })[] }
    ReplaySummary: { total: number; replayed: number; changed: number; share: number; interval: (number)[]; transitions: ({ from: string; to: string; count: number; examples: ({ [key: string]: unknown })[] })[]; codes: ({ code: string; before: number; after: number })[]; not_replayed: ({ reason: string; count: number })[]; amounts: ({ output: string; count: number; before: { sum: number; mean: number }; after: { sum: number; mean: number }; largest: { change: number; example: { [key: string]: unknown } }; spread?: ({ change: number; count: number })[] })[] }
    RefusedDecisions: { ruleset: string; environment: string; mode: "warn" | "enforce"; recorded: number; refused: number; examples: ({ id: string; at: string; violations: ({ path: string; code: string; expected: string })[] })[] }
    ReleaseDiffs: { content_digest: string; diffs: (components['schemas']["ReleaseDiff"])[] }
    ReleaseImpact: { content_digest: string; analyses: (components['schemas']["RulesetAnalysis"])[]; impacts: (components['schemas']["ReleaseTargetImpact"])[] }
    ApproveRequest: { comment?: string; content_digest?: string }
    RejectRequest: { reason?: string; comment?: string }
    CancelRequest: { [key: string]: unknown }
    HistoryList: { items: (components['schemas']["HistoryEntry"])[]; next_cursor: string | null }
    HistoryEntry: { id: string; release_id: string; number: number; environment: string; version: string | null; digest: string | null; at: string; by: string; snapshot: { from_seq: number | null; ruleset: { [key: string]: unknown } | null; contract: { [key: string]: unknown } | null } }
    ReleaseCommentList: { items: (components['schemas']["ReleaseComment"])[]; next_cursor: string | null }
    ReleaseComment: { id: string; ruleset: string | null; place: string; text: string; settled: boolean; created_at: string; created_by: string; updated_at: string; updated_by: string }
    ReleaseCommentRequest: { ruleset?: string; place?: string; text: string }
    ReleaseCommentChange: { settled: boolean }
    ConnectTokenList: { items: (components['schemas']["ConnectToken"])[]; next_cursor: string | null }
    ConnectToken: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; label: string; prefix: string; last_used_at: string | null }
    ConnectTokenRequest: { label?: string }
    CreatedConnectToken: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; label: string; prefix: string; last_used_at: string | null; token: string }
    EngineRegistration: { name: string; instance_id: string; url?: string; region?: string; version: string; capabilities?: (string)[]; tenants?: boolean }
    EngineRegistered: { server_id: string; server_token: string; heartbeat_interval_secs: number; proxy_token: string; database_id?: string }
    EngineHeartbeat: { session: string; health?: unknown; version?: string; capabilities?: (string)[]; applied_revision: number; digest?: string | null; rulesets?: ({ tenant?: string | null; name: string; version?: string; digest: string; delivered?: boolean })[]; problems?: (unknown)[]; stats?: (unknown)[]; recording?: unknown; receipts?: unknown; wait_ms?: number }
    HeartbeatAnswer: { revision: number; changes: ({ tenant?: string | null; name: string; digest?: string; deleted?: boolean })[]; recording?: { tag: string; rules: ({ tenant: string | null; name: string; rate: number; mask: (string)[]; answers?: boolean })[] }; database_id?: string; report_rulesets?: boolean }
    ServerList: { items: (components['schemas']["Server"])[]; next_cursor: string | null }
    Server: { id: string; org_id: string; name: string; region: string; url: string | null; version: string; capabilities: (string)[]; tenants: boolean; healthy: boolean; status: "online" | "degraded" | "offline"; identity: "proved" | "pending" | "unsupported" | "failed"; last_heartbeat: string | null; current_rulesets: ({ tenant?: string | null; name: string; version?: string; digest: string; delivered?: boolean })[]; desired_revision: number; applied_revision: number; problems: (unknown)[]; created_at: string; updated_at: string }
    ServerHealth: { online: boolean; healthy: boolean; last_heartbeat: string | null; health: unknown | null; problems: (unknown)[] }
    ServerMetrics: { step_seconds: number; series: ({ name: string; labels: { [key: string]: string }; points: ({ at: string; value: number })[] })[] }
    ReceiptChains: { chains: ({ instance: string; n: number; entries: number; checkpoint: string; signature: string; continued: boolean; state: "consistent" | "rolled_back" | "rewritten" | "missing"; contradicted_at: string | null; contradiction: string | null; reported_at: string })[]; keys: ({ key: string; public_key: string; from: number; until: number | null })[] }
    Binding: { environment: string; server_ids: (string)[] }
    BindingRequest: { environment?: string; server_ids: (string)[] }
    RecordedDecisionList: { items: (components['schemas']["RecordedDecision"])[]; next_cursor: string | null }
    RecordedDecision: { id: string; at: string; environment: string; digest: string; input: unknown; outcome: "decided" | "refused"; code: string | null; violations: (components['schemas']["RecordedViolation"])[] | null; output: unknown; receipt: { server_id: string; instance: string; seq: number } | null; calls: (components['schemas']["RecordedCall"])[] | null }
    RecordedViolation: { path: string; code: string; expected: string }
    RecordedCall: { service: string; method: string; parameters: unknown; answer?: unknown; error?: string }
    ShadowList: { items: (components['schemas']["Shadow"])[]; next_cursor: string | null }
    Shadow: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; ruleset: string; from_seq: number; digest: string; environment: string; percent: number; ends_at: string; requests: number; changed: number; dropped: number }
    ShadowRequest: { ruleset: string; from_seq: number; environment: string; percent: number; ends_at: string }
    ShadowReport: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; ruleset: string; from_seq: number; digest: string; environment: string; percent: number; ends_at: string; requests: number; changed: number; dropped: number; transitions: ({ from: string | null; to: string | null; count: number; examples: ({ input: unknown; live: unknown; candidate: unknown })[] })[] }
    ReplayList: { items: (components['schemas']["Replay"])[]; next_cursor: string | null }
    Replay: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; ruleset: string; from_seq: number | null; release_id: string | null; digest: string; environment: string; base: { version: string; digest: string; release_id: string | null }; from: string | null; to: string; status: "running" | "completed" | "failed"; error: string | null; total: number; done: number; replayed: number; changed: number }
    ReplayRequest: { ruleset: string; environment: string; from_seq?: number; release_id?: string; from?: string; to?: string }
    ReplayReport: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; ruleset: string; from_seq: number | null; release_id: string | null; digest: string; environment: string; base: { version: string; digest: string; release_id: string | null }; from: string | null; to: string; status: "running" | "completed" | "failed"; error: string | null; total: number; done: number; replayed: number; changed: number; records: components['schemas']["ReplaySummary"] }
    SigningKey: { public_key: string | null }
    SigningKeyRequest: { private_key: string }
    TrustedKeys: { public_keys: (string)[] }
    ReleaseSignatures: { items: (components['schemas']["ReleaseSignature"])[]; next_cursor: string | null }
    ReleaseSignature: { name: string; digest: string; public_key: string | null; signed_at: string | null }
    ReleaseSignatureRequest: { algorithm: "ed25519"; public_key: string; signature: string; signed_at?: string }
    WebhookList: { items: (components['schemas']["Webhook"])[]; next_cursor: string | null }
    Webhook: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; url: string; events: ("*" | "release_created" | "release_reviewed" | "release_cancelled" | "comment_added" | "execution_started" | "execution_paused" | "execution_resumed" | "execution_cancelled" | "execution_failed" | "execution_completed" | "preflight_passed" | "environment_started" | "environment_completed" | "stage_started" | "stage_verdict" | "stage_passed" | "server_state" | "rollback_started" | "rollback_completed" | "rollback_failed")[]; format: "json" | "slack" | "teams" | "cloudevents"; enabled: boolean }
    DeliveryList: { items: (components['schemas']["Delivery"])[]; next_cursor: string | null }
    Delivery: { id: string; event: string; at: string; attempt: number; status: "pending" | "success" | "failed"; response_status: number | null; next_at: string | null }
    WebhookRequest: { url: string; events: ("*" | "release_created" | "release_reviewed" | "release_cancelled" | "comment_added" | "execution_started" | "execution_paused" | "execution_resumed" | "execution_cancelled" | "execution_failed" | "execution_completed" | "preflight_passed" | "environment_started" | "environment_completed" | "stage_started" | "stage_verdict" | "stage_passed" | "server_state" | "rollback_started" | "rollback_completed" | "rollback_failed")[]; format?: "json" | "slack" | "teams" | "cloudevents"; enabled?: boolean }
    CreatedWebhook: { id: string; created_at: string; created_by: string; updated_at: string; rev: number; url: string; events: ("*" | "release_created" | "release_reviewed" | "release_cancelled" | "comment_added" | "execution_started" | "execution_paused" | "execution_resumed" | "execution_cancelled" | "execution_failed" | "execution_completed" | "preflight_passed" | "environment_started" | "environment_completed" | "stage_started" | "stage_verdict" | "stage_passed" | "server_state" | "rollback_started" | "rollback_completed" | "rollback_failed")[]; format: "json" | "slack" | "teams" | "cloudevents"; enabled: boolean; secret: string }
    WebhookChange: { url?: string; events?: ("*" | "release_created" | "release_reviewed" | "release_cancelled" | "comment_added" | "execution_started" | "execution_paused" | "execution_resumed" | "execution_cancelled" | "execution_failed" | "execution_completed" | "preflight_passed" | "environment_started" | "environment_completed" | "stage_started" | "stage_verdict" | "stage_passed" | "server_state" | "rollback_started" | "rollback_completed" | "rollback_failed")[]; format?: "json" | "slack" | "teams" | "cloudevents"; enabled?: boolean }
    ExecuteRequest: { input: { [key: string]: unknown }; trace?: boolean; trace_values?: boolean; receipt?: boolean }
    ExecutionResult: { code: string; message: string; output: { [key: string]: unknown }; duration_us: number; trace?: components['schemas']["Trace"]; read_but_missing?: ({ field: string; nearest: string | null })[]; given_but_unread?: ({ field: string; nearest: string | null })[]; receipt?: components['schemas']["DecisionReceipt"] }
    Trace: { path: string; steps: (components['schemas']["TraceStep"])[]; truncated?: boolean; values_truncated?: boolean }
    TraceStep: { id: string; name: string; duration_us: number; branch?: number | null; condition?: string; values?: { [key: string]: unknown }; variables?: { [key: string]: unknown } }
    DecisionReceipt: { format: "engine-receipt/1"; entry: string; index: number; path: (string)[]; checkpoint: string; signature: string; evidence?: { input?: (string)[]; output?: (string)[]; message?: (string)[]; calls?: (string)[]; fields?: { [key: string]: (string)[] } } }
    EngineError: { error: string; code: "BAD_REQUEST" | "INVALID_INPUT" | "UNAUTHORIZED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "PRECONDITION_FAILED" | "PAYLOAD_TOO_LARGE" | "TOO_MANY_REQUESTS" | "UNSUPPORTED_MEDIA_TYPE" | "UNTRANSLATABLE" | "INVALID_RULESET" | "ANALYSIS_FINDINGS" | "ANALYSIS_FAILED" | "INTERNAL_ERROR" | "NOT_IMPLEMENTED" | "TIMEOUT" | "UNAVAILABLE" | "LOOP_DETECTED" | "RECEIPTS_OFF" | "RECEIPTS_UNAVAILABLE" | "NOT_SIGNED_YET"; details?: (components['schemas']["EngineErrorDetail"])[]; receipt?: components['schemas']["DecisionReceipt"] }
    EngineErrorDetail: { path: string; message: string; code?: string; line?: number; column?: number; suggestion?: string; expected?: string; found?: string; construct?: string; excerpt?: string }
    BatchRequest: { inputs: (unknown)[]; options?: { trace?: boolean; trace_values?: boolean; receipt?: boolean; stop_on_error?: boolean; parallel?: boolean } }
    BatchResult: { results: (components['schemas']["BatchItem"])[]; summary: { total: number; success: number; failed: number; total_duration_us: number } }
    BatchItem: { code: string; message: string; output: { [key: string]: unknown } | null; duration_us: number; trace?: components['schemas']["Trace"]; read_but_missing?: ({ field: string; nearest: string | null })[]; given_but_unread?: ({ field: string; nearest: string | null })[]; error?: string; receipt?: components['schemas']["DecisionReceipt"]; line?: number; key?: string | number | boolean }
    EvalRequest: { expression: string; context?: { [key: string]: unknown }; numbers?: "double" | "decimal" }
    EvalResult: { result: unknown; parsed: string }
    RulesetSummary: { name: string; version: string; description: string | null; step_count: number; digest: components['schemas']["Digest"] }
    Digest: string
    EngineRuleset: { config: components['schemas']["RulesetConfig"]; steps: { [key: string]: components['schemas']["Step"] }; sub_rules?: { [key: string]: components['schemas']["EngineSubRule"] }; _signature?: components['schemas']["Signature"] }
    RulesetConfig: { name: string; version?: string; entry_step?: string; description?: string | null; field_missing?: "lenient" | "strict" | "default"; defaults?: { [key: string]: unknown }; timeout_ms?: number; max_depth?: number; enable_trace?: boolean; contract?: { mode: "off" | "warn" | "enforce"; contract: { [key: string]: unknown } }; numbers?: "double" | "decimal"; receipt_fields?: (string)[]; message_templates?: boolean; metadata?: { [key: string]: string }; tenant_id?: string | null }
    Step: unknown
    DecisionStep: { description?: string; id: string; name?: string; type: "decision"; branches?: (components['schemas']["Branch"])[]; default_next?: string | null }
    Branch: { description?: string; condition: unknown; next_step: string; actions?: (components['schemas']["Action"])[] }
    Action: unknown
    SetVariable: { action: "set_variable"; description?: string; name: string; value: unknown }
    Log: { action: "log"; description?: string; message: string; level?: "debug" | "info" | "warn" | "error" }
    Metric: { action: "metric"; description?: string; name: string; value: unknown; tags?: ((unknown)[])[] }
    ExternalCall: { action: "external_call"; description?: string; service: string; method: string; params?: ((unknown)[])[]; result_variable?: string | null; timeout_ms?: number }
    CallRuleset: { action: "call_ruleset"; description?: string; ruleset_name: string; input_mapping?: unknown; result_variable: string }
    ActionStep: { description?: string; id: string; name?: string; type: "action"; actions?: (components['schemas']["Action"])[]; next_step: string }
    TerminalStep: { description?: string; id: string; name?: string; type: "terminal"; result: components['schemas']["TerminalResult"] }
    TerminalResult: { code: string; message: string; output?: unknown }
    SubRuleStep: { description?: string; id: string; name?: string; type: "sub_rule"; ref_name: string; bindings?: ((unknown)[])[]; outputs?: ((unknown)[])[]; next_step: string }
    EngineSubRule: { description?: string; entry_step?: string; steps: { [key: string]: components['schemas']["Step"] } }
    Signature: { algorithm?: string; public_key: string; signature: string; signed_at?: string }
    VersionList: { name: string; current_version: string; versions: ({ seq: number; version: string; timestamp: string })[] }
    FilterRequest: { known_input: { [key: string]: unknown }; unknown_input?: (string)[]; target_results: (string)[]; format?: components['schemas']["FilterFormat"]; field_mapping?: { [key: string]: string }; max_paths?: number; nulls?: "sql" | "match_rules"; not_null?: (string)[]; columns?: { [key: string]: components['schemas']["ColumnType"] }; dialect?: "ansi" | "postgres" | "mysql" | "sqlite" | "clickhouse" | "duckdb"; parameters?: boolean }
    FilterFormat: "sql" | "json" | "mongo"
    ColumnType: string
    FilterResult: { format: components['schemas']["FilterFormat"]; filter: unknown; always_matches: boolean; never_matches: boolean; truncated: boolean; unknown_fields: (string)[]; exactness: "exact" | "superset" | "subset" | "approximate"; reasons?: (string)[]; params?: (unknown)[] }
    SqlRequest: { dialect: "postgres" | "duckdb" | "clickhouse" | "spark" | "trino"; table?: string; field_mapping?: { [key: string]: string }; known_input?: { [key: string]: unknown }; columns?: { [key: string]: components['schemas']["ColumnType"] } }
    SqlResult: { dialect: string; sql: string; outputs: (string)[]; unknown_fields: (string)[]; reasons?: (string)[] }
    AnalyzeRequest: { domain?: "any" | "contract"; seeds?: ({ [key: string]: unknown })[]; budget?: number }
    AnalysisReport: { ruleset: string; digest: string; callees: ({ name: string; digest: string })[]; domain: "any" | "contract"; findings: (components['schemas']["Finding"])[]; questions: { proved: number; refuted: number; unknown: number }; truncated: boolean }
    ImpactRequest: { ruleset?: { [key: string]: unknown }; seq?: number; forbid?: (string)[]; seeds?: ({ [key: string]: unknown })[]; budget?: number }
    ImpactResult: { diff: { verdict: "equivalent" | "different" | "unknown"; regions: ({ condition: string; complete?: boolean; before: components['schemas']["Side"]; after: components['schemas']["Side"]; witness: components['schemas']["Witness"]; recorded?: number })[]; only_adds: components['schemas']["Verdict"]; only_removes: components['schemas']["Verdict"]; no_new_failure: components['schemas']["Verdict"]; unknown: ({ place: string; reason: string })[]; truncated: boolean }; probes: { asked: number; changed: number }; gates: ({ gate: string; verdict: components['schemas']["Verdict"]; witness?: components['schemas']["Witness"] })[] }
    WhyNotRequest: { input: { [key: string]: unknown }; code: string; changeable?: (string)[] }
    Counterfactual: { verdict: "found" | "impossible" | "unknown"; changes: ({ path: string; from?: unknown; to?: unknown; remove?: boolean })[]; witness?: components['schemas']["Witness"]; fewest: components['schemas']["Verdict"]; reason?: string }
  }
}
