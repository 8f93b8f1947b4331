// SPDX-License-Identifier: MIT
// Tomcat with two servlets: `Hello World!` on /, the JSON of its seed on /testservlet/Test.
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

public final class TomcatServer {
  public static void main(String[] arguments) throws Exception {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(arguments[1]);
    Connector connector = new Connector();
    connector.setPort(Integer.parseInt(arguments[0]));
    connector.setProperty("address", "127.0.0.1");
    connector.setProperty("maxKeepAliveRequests", "-1");
    connector.setProperty("keepAliveTimeout", "-1");
    connector.setProperty("acceptCount", "4096");
    tomcat.setConnector(connector);
    Context context = tomcat.addContext("", null);
    Tomcat.addServlet(context, "hello", new Fixed("text/plain", "Hello World!"));
    Tomcat.addServlet(context, "test", new Fixed("application/json", "[\"Hello\",\"World!\"]"));
    context.addServletMappingDecoded("/", "hello");
    context.addServletMappingDecoded("/testservlet/Test", "test");
    tomcat.start();
    tomcat.getServer().await();
  }

  private static final class Fixed extends HttpServlet {
    private final String type;
    private final byte[] body;

    Fixed(String type, String text) {
      this.type = type;
      this.body = text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws java.io.IOException {
      response.setContentType(type);
      response.setContentLength(body.length);
      response.getOutputStream().write(body);
    }
  }
}
