import { lastWrite, throwErrorOf } from './client';

/** Milliseconds for a file to be sent and imported; the service waits 5 min for the file. */
const TIMEOUT_MS = 600_000;

interface UploadOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Called with the share of the form that was sent, 0 to 1. */
  onProgress?: (sent: number) => void;
}

/**
 * Sends a form and resolves with the JSON of the response. `fetch` does not report progress.
 * @throws ApiError; if there is no response, an error for which `isDisconnected` is true
 */
export function upload<T>(path: string, form: FormData, options: UploadOptions = {}): Promise<T> {
  const { headers = {}, signal, onProgress } = options;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const settle = async (): Promise<T> => {
      const { status } = request;
      lastWrite.at = performance.now();
      const response = new Response(request.responseText, {
        status,
        headers: { 'Retry-After': request.getResponseHeader('Retry-After') ?? '' },
      });
      return response.ok ? ((await response.json()) as T) : throwErrorOf(response);
    };
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(loaded / total);
    request.onload = () => settle().then(resolve, reject);
    request.onerror = () => reject(new TypeError('The request failed.'));
    request.ontimeout = () => reject(new DOMException('There is no response.', 'TimeoutError'));
    request.onabort = () => reject(new DOMException('The request was aborted.', 'AbortError'));
    signal?.addEventListener('abort', () => request.abort());
    lastWrite.at = performance.now();
    request.open('POST', path);
    request.timeout = TIMEOUT_MS;
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(form);
  });
}
