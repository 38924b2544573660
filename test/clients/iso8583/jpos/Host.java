import java.io.IOException;
import org.jpos.iso.ISOException;
import org.jpos.iso.ISOMsg;
import org.jpos.iso.ISOServer;
import org.jpos.iso.ISOSource;
import org.jpos.iso.channel.NACChannel;
import org.jpos.iso.packager.ISO87APackagerBBitmap;

/**
 * An acquirer's host by jPOS. It approves everything, except amounts that end in 51 (declined with 51) and in 68 (never answered the
 * first time). It prints what it reads: the type, then the fields that are there as number=value, separated by tabs.
 */
public class Host {
    public static void main(String[] args) throws Exception {
        NACChannel channel = new NACChannel(new ISO87APackagerBBitmap(), null);
        ISOServer server = new ISOServer(Integer.parseInt(args[0]), channel, null);
        server.addISORequestListener(Host::process);
        new Thread(server).start();
        System.out.println("listening");
    }

    static boolean process(ISOSource source, ISOMsg message) {
        try {
            print(message);
            String amount = message.hasField(4) ? message.getString(4) : "";
            boolean isAuthorisation = message.getMTI().equals("0100");
            if (isAuthorisation && amount.endsWith("68")) return true;
            ISOMsg answer = (ISOMsg) message.clone();
            answer.setResponseMTI();
            for (int field : new int[] {2, 14, 22, 25, 43, 48, 90}) answer.unset(field);
            answer.set(39, isAuthorisation && amount.endsWith("51") ? "51" : "00");
            if (isAuthorisation && !amount.endsWith("51")) {
                answer.set(38, "654321");
                answer.set(48, "0515000123456789012");
            }
            source.send(answer);
        } catch (ISOException | IOException e) {
            System.out.println("failed\t" + e.getMessage());
        }
        return true;
    }

    static synchronized void print(ISOMsg message) throws ISOException {
        StringBuilder line = new StringBuilder(message.getMTI());
        for (int field = 2; field <= message.getMaxField(); field++) {
            if (message.hasField(field)) line.append('\t').append(field).append('=').append(message.getString(field));
        }
        System.out.println(line);
    }
}
