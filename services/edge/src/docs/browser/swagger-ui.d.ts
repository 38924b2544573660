/** A request as the renderer is about to send it. `loadSpec` marks those for the document itself. */
type SwaggerRequest = {
  url: string;
  method?: string;
  headers: Record<string, string>;
  body?: unknown;
  loadSpec?: boolean;
};

/** What we use of swagger-ui-dist, which has no types. */
declare function SwaggerUIBundle(options: {
  dom_id: string;
  url: string;
  spec: object;
  deepLinking: boolean;
  docExpansion: 'list' | 'none';
  defaultModelsExpandDepth: number;
  displayRequestDuration: boolean;
  tryItOutEnabled: boolean;
  validatorUrl: null;
  plugins: object[];
  requestInterceptor: (request: SwaggerRequest) => Promise<SwaggerRequest>;
  responseInterceptor: (response: { status?: number }) => { status?: number };
  onComplete: () => void;
}): void;
