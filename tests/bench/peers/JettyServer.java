// SPDX-License-Identifier: MIT
// Jetty with one handler: `Hello World!` on /, `noop` without a type on /noop as its seed had it.
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.AbstractHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

public final class JettyServer {
  public static void main(String[] arguments) throws Exception {
    Server server = new Server(new QueuedThreadPool(50));
    HttpConfiguration configuration = new HttpConfiguration();
    configuration.setSendServerVersion(false);
    ServerConnector connector =
        new ServerConnector(server, 1, 1, new HttpConnectionFactory(configuration));
    connector.setHost("127.0.0.1");
    connector.setPort(Integer.parseInt(arguments[0]));
    connector.setAcceptQueueSize(4096);
    server.addConnector(connector);
    server.setHandler(new Fixed());
    server.start();
    server.join();
  }

  private static final class Fixed extends AbstractHandler {
    private final byte[] hello = "Hello World!".getBytes(StandardCharsets.US_ASCII);
    private final byte[] noop = "noop".getBytes(StandardCharsets.US_ASCII);

    @Override
    public void handle(String target, Request base, HttpServletRequest request,
        HttpServletResponse response) throws java.io.IOException {
      base.setHandled(true);
      boolean isNoop = target.equals("/noop");
      byte[] body = isNoop ? noop : hello;
      if (!isNoop) {
        response.setContentType("text/plain");
      }
      response.setContentLength(body.length);
      response.getOutputStream().write(body);
    }
  }
}
